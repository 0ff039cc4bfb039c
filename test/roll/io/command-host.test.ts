import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { test } from 'node:test'
import { systemClock } from '../../../src/ground/machine/system-clock.ts'
import { CommandHost } from '../../../src/roll/io/command-host.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { StandInCommands } from '../../support/stand-in-command.ts'

const never = new AbortController().signal
const N1 = { node: 'n1', address: '10.0.0.1' }
const ID = '00000000-1111-2222-3333-444444444444'
const OTHER_ID = '99999999-1111-2222-3333-444444444444'

const PATH = process.env.PATH ?? ''

const commandHost = (command: readonly string[], { limitMs = 5_000, searchPath = PATH } = {}): CommandHost =>
  new CommandHost({ clock: systemClock, command, searchPath, limitMs })

test('the command is told node, address and boot id, and no shell sees them', async (t) => {
  const commands = await StandInCommands.make(t)
  const said = join(commands.directory, 'said')
  const path = await commands.script('bmc', `printf '<%s>' "$@" > ${said}`)
  const host = commandHost([path, '--id={bootId}', '{node}/{address}', '$HOME; {nodes} {}', '{node}{node}'])
  assert.deepEqual(await host.reboot(N1, ID, never), { kind: 'sent' })
  assert.equal(await readFile(said, 'utf8'), `<--id=${ID}><n1/10.0.0.1><$HOME; {nodes} {}><n1n1>`)
})

for (const [title, body, expected] of [
  ['0 is sent', 'exit 0', { kind: 'sent' }],
  [
    '65 with a boot id is another boot',
    `echo asked; echo ${OTHER_ID}; exit 65`,
    { kind: 'otherBoot', bootId: OTHER_ID },
  ],
  [
    '65 without one is a refusal',
    'echo who knows; exit 65',
    { kind: 'refused', text: 'the reboot command failed (exit code 65): no word' },
  ],
  [
    '75 is not known',
    'echo "BMC busy" >&2; exit 75',
    { kind: 'unknown', text: 'the reboot command failed (exit code 75): BMC busy' },
  ],
  [
    'any other is a refusal, with its last words escaped',
    'printf "\\033[1mno such outlet\\n" >&2; exit 3',
    { kind: 'refused', text: 'the reboot command failed (exit code 3): \\x1b[1mno such outlet' },
  ],
  [
    'a death by signal is not known',
    'kill -KILL $$',
    { kind: 'unknown', text: 'the reboot command failed (ended by SIGKILL): no word' },
  ],
  [
    'output without end is not known',
    'cat /dev/zero',
    { kind: 'unknown', text: 'the reboot command failed (it printed without end): no word' },
  ],
] as const) {
  test(`exit code: ${title}`, async (t) => {
    const path = await (await StandInCommands.make(t)).script('bmc', body)
    assert.deepEqual(await commandHost([path, '{bootId}']).reboot(N1, ID, never), expected)
  })
}

test('at its limit the command is killed with all it started, and nothing is known', async (t) => {
  const commands = await StandInCommands.make(t)
  const pids = join(commands.directory, 'pids')
  const path = await commands.script('bmc', `sleep 60 & echo $! $$ > ${pids}; wait`)
  assert.equal((await commandHost([path, '{bootId}'], { limitMs: 700 }).reboot(N1, ID, never)).kind, 'unknown')
  for (const pid of (await readFile(pids, 'utf8')).trim().split(' ')) {
    const dead = async () =>
      /^State:\s+[ZX]/m.test(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State: X')) || undefined
    await waitFor({ what: `process ${pid} to be dead`, limitMs: 2_000, everyMs: 10 }, dead)
  }
})

test('a command that leaves something behind has answered when it ends', async (t) => {
  const commands = await StandInCommands.make(t)
  const path = await commands.script('bmc', `sleep 60 & echo $! > ${join(commands.directory, 'pids')}`)
  assert.deepEqual(await commandHost([path, '{bootId}']).reboot(N1, ID, never), { kind: 'sent' })
})

test('giving up kills it and is the reason of the signal', async (t) => {
  const commands = await StandInCommands.make(t)
  const path = await commands.script('bmc', `echo $$ > ${join(commands.directory, 'pids')}; exec sleep 60`)
  const stop = new AbortController()
  const reboot = commandHost([path, '{bootId}'], { limitMs: 60_000 }).reboot(N1, ID, stop.signal)
  await commands.has('pids')
  stop.abort(new Error('Ctrl-C'))
  await assert.rejects(reboot, { message: 'Ctrl-C' })
})

test('what is no name, no address and no boot id is not handed on', async (t) => {
  const commands = await StandInCommands.make(t)
  const path = await commands.script('bmc', `touch ${join(commands.directory, 'ran')}`)
  const host = commandHost([path, '{bootId}', '{address}'])
  for (const [target, id] of [
    [{ ...N1, node: '--all' }, ID],
    [{ ...N1, address: '--all' }, ID],
    [{ ...N1, address: '' }, ID],
    [N1, '--all'],
    [N1, ''],
  ] as const) {
    assert.equal((await host.reboot(target, id, never)).kind, 'refused')
  }
  await assert.rejects(readFile(join(commands.directory, 'ran')), { code: 'ENOENT' })
  assert.deepEqual(await commandHost([path, '{bootId}']).reboot({ ...N1, address: '' }, ID, never), { kind: 'sent' })
})

test('a target that cannot be handed on is found out before, in the same words', async (t) => {
  const path = await (await StandInCommands.make(t)).script('bmc', 'exit 0')
  const refusals = async (command: readonly string[], target: typeof N1) => {
    const host = commandHost([path, ...command])
    const answer = await host.reboot(target, ID, never)
    return [(await host.check(target)).refusal, answer.kind === 'refused' ? answer.text : undefined]
  }
  const byName = { ...N1, address: 'lb-1.example.com' }
  const text = 'n1 has no IP address for {address}; nothing was run'
  assert.deepEqual(await refusals(['{bootId}', '{address}'], byName), [text, text])
  assert.deepEqual(await refusals(['{bootId}', '{node}'], byName), [undefined, undefined])
})

test('the boot id of a kubelet of Windows, a number, is handed on', async (t) => {
  const path = await (await StandInCommands.make(t)).script('bmc', '[ "$1" = 7 ] && exit 0; echo 8; exit 65')
  const host = commandHost([path, '{bootId}'])
  assert.deepEqual(await host.reboot(N1, '7', never), { kind: 'sent' })
  assert.deepEqual(await host.reboot(N1, '6', never), { kind: 'otherBoot', bootId: '8' })
})

test('a program that is not there is found out before, and refuses', async () => {
  const host = commandHost(['/no/such/bmc', '{bootId}'])
  assert.deepEqual(await host.check(N1), {
    mayReboot: false,
    refusal: 'there is no command /no/such/bmc here',
    hops: [],
  })
  assert.equal((await host.reboot(N1, ID, never)).kind, 'refused')
  assert.deepEqual(await commandHost(['true', '{bootId}']).check(N1), { mayReboot: true, hops: [] })
})

test('a program is found where no shell is, as in a container', async () => {
  const own = commandHost([process.execPath, '{bootId}'], { searchPath: '' })
  assert.equal((await own.check(N1)).mayReboot, true)
  assert.equal((await commandHost(['true', '{bootId}'], { searchPath: '' }).check(N1)).mayReboot, false)
})

test('a command that is not told the boot id is a mistake of the person', () => {
  assert.throws(() => commandHost(['bmc', 'reboot', '{node}']), { name: 'UserError', code: 'host.command-boot-id' })
})
