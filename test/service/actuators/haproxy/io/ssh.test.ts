import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { systemClock } from '../../../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../../../src/ground/machine/system-random.ts'
import { HaproxyBalancer } from '../../../../../src/service/actuators/haproxy/io/haproxy-balancer.ts'
import { waitFor } from '../../../../../testbed/machine/wait-for.ts'
import { LocalHaproxy } from '../../../../support/local-haproxy.ts'
import { LocalSshd } from '../../../../support/local-sshd.ts'
import { requires } from '../../../../support/requires.ts'
import { never, opened, ref, serverOf } from './opened.ts'

const sections = (): string => 'backend web\n  server a 127.0.0.1:1\n'
const real = requires('haproxy', 'ssh')

test('a socket on another host is read and set by ssh', real, async (t) => {
  const sshd = await LocalSshd.start(t)
  const haproxy = await LocalHaproxy.start(t, { sections })
  const address = { kind: 'ssh', host: 'lb', path: haproxy.socket } as const
  const balancer = opened(t, { address, backends: ['web'], sshConfigFile: sshd.configFile })
  const readings = await Promise.all([1, 2, 3].map(() => balancer.read('lb-1', never)))
  assert.deepEqual(new Set(readings.map((it) => it.process.split('@')[0])), new Set([haproxy.pid]))
  await balancer.setState(ref('web/a'), 'drain', never)
  assert.equal((await serverOf(balancer, 'web/a')).adminState, 'drain')
  assert.equal((await balancer.inspect('lb-1', never)).level, 'admin')
})

test('a broken connection is opened again by the next line', real, async (t) => {
  const sshd = await LocalSshd.start(t)
  const haproxy = await LocalHaproxy.start(t, { sections })
  const address = { kind: 'ssh', host: 'lb', path: haproxy.socket } as const
  const balancer = opened(t, { address, backends: ['web'], sshConfigFile: sshd.configFile })
  await balancer.read('lb-1', never)
  await sshd.stop()
  await assert.rejects(balancer.read('lb-1', never), { code: 'BALANCER_UNREACHABLE' })
  await sshd.launch()
  const wait = { what: 'a reading after the break', limitMs: 10_000 }
  await waitFor(wait, () => balancer.read('lb-1', never).catch(() => undefined))
})

test('what ssh says of a failed login is handed on', real, async (t) => {
  const sshd = await LocalSshd.start(t)
  const to = (host: string) =>
    opened(t, { address: { kind: 'ssh', host, path: '/x.sock' }, backends: ['web'], sshConfigFile: sshd.configFile })
  await assert.rejects(to('not-let-in').read('lb-1', never), {
    code: 'BALANCER_UNREACHABLE',
    retry: 'never',
    message: /^lb-1 \(\/x\.sock on not-let-in\): .*Permission denied/,
  })
  await assert.rejects(to('nowhere.invalid').read('lb-1', never), {
    code: 'BALANCER_UNREACHABLE',
    message: /Could not resolve hostname/,
  })
  await sshd.stop()
  await assert.rejects(to('lb').read('lb-1', never), { code: 'BALANCER_UNREACHABLE', message: /Connection refused/ })
})

test('a login that reaches no socket is distinguished from one that fails', real, async (t) => {
  const sshd = await LocalSshd.start(t)
  const address = { kind: 'ssh', host: 'lb', path: '/nowhere/admin.sock' } as const
  const balancer = opened(t, { address, backends: ['web'], sshConfigFile: sshd.configFile })
  await assert.rejects(balancer.read('lb-1', never), {
    code: 'BALANCER_UNREACHABLE',
    message: /ssh reaches lb, but nothing answers at the socket/,
  })
})

test('an sshd that forbids forwarding is named as a reason', real, async (t) => {
  const sshd = await LocalSshd.start(t, ['AllowStreamLocalForwarding no'])
  const haproxy = await LocalHaproxy.start(t, { sections })
  const address = { kind: 'ssh', host: 'lb', path: haproxy.socket } as const
  const balancer = opened(t, { address, backends: ['web'], sshConfigFile: sshd.configFile })
  await assert.rejects(balancer.read('lb-1', never), { message: /AllowStreamLocalForwarding/ })
})

test('closing leaves no connection and no file', real, async (t) => {
  const sshd = await LocalSshd.start(t)
  const haproxy = await LocalHaproxy.start(t, { sections })
  const directory = await ownTemporaryDirectory(t)
  const address = { kind: 'ssh', host: 'lb', path: haproxy.socket } as const
  const balancer = opened(t, { address, backends: ['web'], sshConfigFile: sshd.configFile })
  await balancer.read('lb-1', never)
  const made = (await readdir(directory, { recursive: true })).map((path) => path.split('/').at(-1))
  assert.deepEqual(made.slice(1).sort(), ['c', 's'])
  await balancer.close()
  assert.deepEqual(await readdir(directory), [])
  await waitFor({ what: 'sshd to serve nobody', limitMs: 5_000 }, async () =>
    (await sshd.connections()) === 0 ? true : undefined,
  )
})

test('an abort ends the waiting of one reader and not the login that others wait for', real, async (t) => {
  const sshd = await LocalSshd.start(t)
  const haproxy = await LocalHaproxy.start(t, { sections })
  const address = { kind: 'ssh', host: 'lb', path: haproxy.socket } as const
  const balancer = opened(t, { address, backends: ['web'], sshConfigFile: sshd.configFile })
  const reason = new Error('enough')
  const stopping = new AbortController()
  const aborted = balancer.read('lb-1', stopping.signal)
  const other = balancer.read('lb-1', never)
  stopping.abort(reason)
  await assert.rejects(aborted, reason)
  assert.equal((await other).instance, 'lb-1')
})

test('a socket path that ssh would read as something else is refused before anything is tried', () => {
  for (const path of ['/run/a:b.sock', '/run/%h.sock', '/run/a b.sock', '/run/$' + '{HOME}.sock', 'relative.sock']) {
    const instances = [{ name: 'lb-1', address: { kind: 'ssh', host: 'lb', path } as const }]
    const open = () =>
      new HaproxyBalancer({
        clock: systemClock,
        random: systemRandom,
        spec: { name: 'edge', instances, backends: ['web'] },
      })
    assert.throws(open, { name: 'UserError', code: 'BALANCER_ADDRESS' })
  }
})

async function ownTemporaryDirectory(t: TestContext): Promise<string> {
  const before = process.env.TMPDIR
  const directory = await mkdtemp(join(tmpdir(), 'evenkeel-test-'))
  process.env.TMPDIR = directory
  t.after(async () => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    await rm(directory, { recursive: true, force: true })
  })
  return directory
}
