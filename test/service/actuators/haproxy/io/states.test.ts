import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LocalHaproxy } from '../../../../support/local-haproxy.ts'
import { requires } from '../../../../support/requires.ts'
import { never, opened, ref, serverOf } from './opened.ts'

const STATES = `backend web
  server a 127.0.0.1:1
  server b 127.0.0.1:1 disabled
  server c 127.0.0.1:1 weight 7 backup
  server six [::1]:1
  server nameless unix@/nowhere.sock
`
const TRACKED = `backend web
  server a 127.0.0.1:1 check
backend second
  server a 127.0.0.1:1 track web/a
`

test('what was set is read back, and setting it again changes nothing', requires('haproxy'), async (t) => {
  const haproxy = await LocalHaproxy.start(t, { sections: () => STATES })
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
  for (const state of ['drain', 'drain', 'maint', 'maint', 'drain', 'ready', 'ready'] as const) {
    await balancer.setState(ref('web/a'), state, never)
    const { adminState, ownState, inherited } = await serverOf(balancer, 'web/a')
    assert.deepEqual({ adminState, ownState, inherited }, { adminState: state, ownState: state, inherited: false })
  }
})

test(
  'a reading carries address, port, weight and role as the configuration has them',
  requires('haproxy'),
  async (t) => {
    const haproxy = await LocalHaproxy.start(t, { sections: () => STATES })
    const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
    const reading = await balancer.read('lb-1', never)
    assert.equal(reading.instance, 'lb-1')
    assert.match(reading.version, /^\d+\.\d+/)
    assert.match(reading.process, new RegExp(`^${haproxy.pid}(@\\d+)?$`))
    assert.deepEqual(
      reading.servers.map((it) => [it.ref.server, it.address, it.port, it.weight, it.backup, it.check]),
      [
        ['a', '127.0.0.1', 1, 1, false, 'none'],
        ['b', '127.0.0.1', 1, 1, false, 'none'],
        ['c', '127.0.0.1', 1, 7, true, 'none'],
        ['six', '::1', 1, 1, false, 'none'],
        ['nameless', '', 0, 1, false, 'none'],
      ],
    )
  },
)

test('a server that the file disables is in maint, and a command lifts that', requires('haproxy'), async (t) => {
  const haproxy = await LocalHaproxy.start(t, { sections: () => STATES })
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
  const before = await serverOf(balancer, 'web/b')
  assert.deepEqual([before.adminState, before.ownState, before.inherited], ['maint', 'maint', false])
  await balancer.setState(ref('web/b'), 'ready', never)
  assert.equal((await serverOf(balancer, 'web/b')).adminState, 'ready')
  await balancer.setState(ref('web/b'), 'drain', never)
  assert.equal((await serverOf(balancer, 'web/b')).adminState, 'drain')
})

test('a tracking server shows the state it inherits apart from its own', requires('haproxy'), async (t) => {
  const haproxy = await LocalHaproxy.start(t, { sections: () => TRACKED })
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web', 'second'] })
  const seen = async (): Promise<readonly unknown[]> => {
    const { adminState, ownState, inherited } = await serverOf(balancer, 'second/a')
    return [adminState, ownState, inherited]
  }
  await balancer.setState(ref('web/a'), 'drain', never)
  assert.deepEqual(await seen(), ['drain', 'ready', true])
  await balancer.setState(ref('second/a'), 'drain', never)
  assert.deepEqual(await seen(), ['drain', 'drain', true])
  await balancer.setState(ref('web/a'), 'maint', never)
  assert.deepEqual(await seen(), ['maint', 'drain', true])
  await balancer.setState(ref('web/a'), 'ready', never)
  assert.deepEqual(await seen(), ['drain', 'drain', false])
  assert.equal((await serverOf(balancer, 'web/a')).adminState, 'ready')
})

test(
  'a server without a port has none, and one whose port HAProxy counts back from the client’s has none either; one that is counted on from it looks like any other',
  requires('haproxy'),
  async (t) => {
    const sections = () =>
      'backend web\n  server a 127.0.0.1\n  server b 127.0.0.1:-1000\n  server c 127.0.0.1:8080\n  server d 127.0.0.1:+10\n  server e 127.0.0.1:+0\n'
    const haproxy = await LocalHaproxy.start(t, { sections })
    const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
    const ports = ['web/a', 'web/b', 'web/c', 'web/d', 'web/e'].map(
      async (path) => (await serverOf(balancer, path)).port,
    )
    assert.deepEqual(await Promise.all(ports), [0, 0, 8080, 10, 0])
  },
)

test('weight 0 set by hand is no admin state and is reported as weight', requires('haproxy'), async (t) => {
  const haproxy = await LocalHaproxy.start(t, { sections: () => STATES })
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
  await haproxy.command('set server web/a weight 0')
  const { adminState, operational, weight } = await serverOf(balancer, 'web/a')
  assert.deepEqual({ adminState, operational, weight }, { adminState: 'ready', operational: 'up', weight: 0 })
})

test(
  'a name that does not resolve keeps its server in maint, and no command lifts that',
  requires('haproxy'),
  async (t) => {
    const haproxy = await LocalHaproxy.start(t, {
      sections: () => `resolvers none
  nameserver nobody 127.0.0.1:1
backend web
  server a nowhere.invalid:80 resolvers none init-addr none check
`,
    })
    const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
    await balancer.setState(ref('web/a'), 'ready', never)
    const { adminState, ownState, inherited, address } = await serverOf(balancer, 'web/a')
    assert.deepEqual([adminState, ownState, inherited, address], ['maint', 'ready', true, ''])
  },
)
