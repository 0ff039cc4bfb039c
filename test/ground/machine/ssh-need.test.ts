import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'
import type { NeedAnswer, NeedQuestion } from '../../../src/ground/model/reboot-need.ts'
import { SshHost } from '../../../src/roll/io/ssh-host.ts'
import { LocalSshd } from '../../support/local-sshd.ts'
import { requires } from '../../support/requires.ts'
import { clientConfig, sessionsOver } from '../../support/sshd-ways.ts'
import { StandInCommands } from '../../support/stand-in-command.ts'

const never = new AbortController().signal
const N1 = { node: 'n1', address: '127.0.0.1' }

test('by real ssh a machine says whether it needs a reboot, whatever it prints', requires('ssh'), async (t) => {
  let sshd: LocalSshd | undefined
  t.after(() => (sshd === undefined ? undefined : sessionsOver(sshd)))
  sshd = await LocalSshd.start(t)
  const configFile = await clientConfig(sshd, {})
  const commands = await StandInCommands.make(t)
  const reboot = await commands.reboot()
  const ownId = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
  const asked = async (need: NeedQuestion, checkLimitMs = 20_000): Promise<NeedAnswer | undefined> => {
    const parts = { clock: systemClock, random: systemRandom, configFile, command: reboot, rebootLimitMs: 10_000 }
    const host = new SshHost({ ...parts, checkLimitMs, need })
    try {
      const { need: answer, ...facts } = await host.check(N1, never)
      // Whatever becomes of the question, the machine is known.
      assert.deepEqual(facts, { bootId: ownId, mayReboot: true, hops: [] })
      return answer
    } finally {
      await host.close()
    }
  }
  const sentinel = join(commands.directory, 'reboot-required')
  const running = async (body: string): Promise<NeedAnswer['command']> =>
    (await asked({ command: [await commands.script('check', body)] }))?.command

  await t.test('nothing that is not asked is answered', async () => {
    assert.equal(await asked({}), undefined)
  })

  await t.test('by a sentinel with its packages', async () => {
    assert.deepEqual(await asked({ sentinel }), { sentinel: { kind: 'absent' } })
    await writeFile(sentinel, '')
    assert.deepEqual(await asked({ sentinel }), { sentinel: { kind: 'there', packages: [], isCut: false } })
    await writeFile(`${sentinel}.pkgs`, 'linux-image-6.1.0-30-amd64\nlinux-base\nlinux-base\n')
    const packages = ['linux-image-6.1.0-30-amd64', 'linux-base']
    assert.deepEqual(await asked({ sentinel }), { sentinel: { kind: 'there', packages, isCut: false } })
  })

  await t.test('by a list of packages that is huge and steers terminals', async () => {
    await writeFile(`${sentinel}.pkgs`, `\x1b[2Jevil\x00\u202e\n${'p'.repeat(999)}\n${'line\n'.repeat(1_000_000)}`)
    const answer = (await asked({ sentinel }))?.sentinel
    assert.deepEqual(answer, {
      kind: 'there',
      packages: ['\\x1b[2Jevil', '\\u202e', 'p'.repeat(999), 'line'],
      isCut: true,
    })
  })

  await t.test('by each exit code of a command', async () => {
    for (const exitCode of [0, 1, 3]) {
      assert.deepEqual(await running(`exit ${exitCode}`), { kind: 'ended', exitCode, errors: '' })
    }
    const errors = 'rpmdb: \\x1b[31mlocked'
    assert.deepEqual(await running("printf 'rpmdb: \\033[31mlocked\\n' >&2; exit 2"), {
      kind: 'ended',
      exitCode: 2,
      errors,
    })
    const killed = await running('kill -9 $$')
    assert.ok(killed?.kind === 'ended')
    assert.equal(killed.exitCode, 137)
  })

  await t.test('by a command that is not there', async () => {
    const missing = await asked({ command: ['needs-restarting-not', '-r'] })
    assert.deepEqual(missing?.command, { kind: 'unknown', text: 'there is no command needs-restarting-not' })
  })

  await t.test('by a command that prints without end: what it prints is no answer', async () => {
    assert.deepEqual(await running('yes "evenkeel ran 1" | head -c 20000000; exit 0'), {
      kind: 'ended',
      exitCode: 0,
      errors: '',
    })
    const flood = await running('yes "evenkeel ran 1" >&2')
    assert.equal(flood?.kind, 'unknown')
    assert.match(flood.text, /^it gave no usable answer \(it printed without end\)/)
  })

  await t.test('by a sentinel that was seen before a command that does not end', async () => {
    const command = [await commands.script('check', `echo $$ >> ${commands.directory}/pids; exec sleep 600`)]
    await writeFile(`${sentinel}.pkgs`, 'a\n')
    const answer = await asked({ sentinel, command }, 3_000)
    assert.deepEqual(answer?.sentinel, { kind: 'there', packages: ['a'], isCut: false })
    assert.deepEqual(answer?.command, { kind: 'unknown', text: 'it did not answer in time' })
  })
  assert.equal(await commands.runs(), 0)
})
