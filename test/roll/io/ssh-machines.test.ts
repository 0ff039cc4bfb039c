import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { systemClock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'
import { canonicalAddress } from '../../../src/ground/model/ip-address.ts'
import { SshMachines } from '../../../src/roll/io/ssh-machines.ts'
import { LocalSshd } from '../../support/local-sshd.ts'
import { requires } from '../../support/requires.ts'

const never = new AbortController().signal
const limitMs = 10_000

async function machines(t: TestContext): Promise<{ readonly sshd: LocalSshd; readonly machines: SshMachines }> {
  const sshd = await LocalSshd.start(t)
  const parts = { clock: systemClock, random: systemRandom, configFile: sshd.configFile, readLimitMs: limitMs }
  return { sshd, machines: new SshMachines(parts) }
}

test('a machine tells its boot id and its addresses, without those of the loopback', requires('ssh'), async (t) => {
  const { machines: asked } = await machines(t)
  const reading = await asked.read('lb', never)
  assert.equal(reading.bootId, (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim())
  const own = Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    name === 'lo' ? [] : addresses.map(({ address }) => canonicalAddress(address)),
  )
  assert.deepEqual(
    own.filter((address) => !reading.addresses.includes(address)),
    [],
  )
  assert.equal(reading.addresses.includes('127.0.0.1'), false)
})

test('a command runs there word by word, and says how it ended', requires('ssh'), async (t) => {
  const { sshd, machines: asked } = await machines(t)
  const file = join(sshd.configFile, '..', 'away file')
  const write = ['sh', '-c', 'printf "%s\\n" "$1" >"$0"', file, "it's -100; $(id)"]
  assert.deepEqual(await asked.run('lb', { argv: write, limitMs }, never), { ok: true })
  assert.equal(await readFile(file, 'utf8'), "it's -100; $(id)\n")
  const verbose = await asked.run('lb', { argv: ['sh', '-c', 'head -c 20000000 /dev/zero'], limitMs }, never)
  assert.deepEqual(verbose, { ok: true }, 'however much it prints')
  const failed = await asked.run('lb', { argv: ['sh', '-c', 'echo no such group >&2; exit 3'], limitMs }, never)
  assert.deepEqual(failed, { ok: false, text: 'exit code 3: no such group' })
  const late = await asked.run('lb', { argv: ['sleep', '30'], limitMs: 1_000 }, never)
  assert.deepEqual(late, { ok: false, text: 'it did not end within 1000 ms' })
})

test('a machine that is away, or that lets no one in, is reported as such', requires('ssh'), async (t) => {
  const { sshd, machines: asked } = await machines(t)
  await assert.rejects(asked.read('not-let-in', never), { code: 'HOST_DENIED' })
  await assert.rejects(asked.read('-oProxyCommand=x', never), { code: 'HOST_NAME' })
  await sshd.stop()
  await assert.rejects(asked.read('lb', never), { code: 'HOST_UNREACHABLE' })
  const answer = await asked.run('lb', { argv: ['true'], limitMs }, never)
  assert.equal(answer.ok, false)
  await writeFile(sshd.configFile, 'Nonsense yes\n')
  await assert.rejects(asked.read('lb', never), { code: 'HOST_SSH_CONFIG' })
})
