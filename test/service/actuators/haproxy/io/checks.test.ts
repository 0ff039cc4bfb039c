import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerReading } from '../../../../../src/service/model/balancer.ts'
import { LocalHaproxy } from '../../../../support/local-haproxy.ts'
import { Origin } from '../../../../support/origin.ts'
import { requires } from '../../../../support/requires.ts'
import { never, opened, ref, serverOf, serverOnce } from './opened.ts'

const checked = (port: number, options: string): string => `backend web
  option httpchk GET /healthz
  server a 127.0.0.1:${port} check ${options}
  server unchecked 127.0.0.1:${port}
backend second
  server a 127.0.0.1:${port} track web/a
`

test('checks go on and are reported while a server is in drain', requires('haproxy'), async (t) => {
  const origin = await Origin.start(t)
  const haproxy = await LocalHaproxy.start(t, { sections: () => checked(origin.port, 'inter 100ms rise 2 fall 2') })
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web', 'second'] })
  const up = await serverOnce(balancer, 'web/a', (server) => server.check === 'passing')
  assert.match(up.checkText, /^L7OK(\/200)?$/)

  await balancer.setState(ref('web/a'), 'drain', never)
  origin.sayHealth(503)
  // On a busy machine a check may have been given up before the answer that is waited for here.
  const isRefused = ({ operational, checkText }: ServerReading): boolean =>
    operational === 'down' && /^L7STS(\/503)?$/.test(checkText)
  const ill = await serverOnce(balancer, 'web/a', isRefused)
  assert.deepEqual([ill.adminState, ill.check], ['drain', 'failing'])
  assert.match(await haproxy.command('show stat -1 4 -1'), /^web,a,.*,DOWN,/m)

  origin.sayHealth(200)
  const well = await serverOnce(balancer, 'web/a', (server) => server.operational === 'up')
  assert.deepEqual([well.adminState, well.check], ['drain', 'passing'])
})

test('a server without a check is up without proof', requires('haproxy'), async (t) => {
  const haproxy = await LocalHaproxy.start(t, { sections: () => checked(1, 'inter 100ms') })
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
  const { operational, check, checkText } = await serverOf(balancer, 'web/unchecked')
  assert.deepEqual([operational, check, checkText], ['up', 'none', 'no check'])
})

test('a server is up, and passes nothing, before its first check has ended', requires('haproxy'), async (t) => {
  const origin = await Origin.start(t)
  const haproxy = await LocalHaproxy.start(t, {
    sections: () => checked(origin.port, 'inter 1h rise 1 fall 1').replace('/healthz', '/slow'),
  })
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
  const { operational, check, lastCheckFailed, uncheckedYet } = await serverOf(balancer, 'web/a')
  assert.deepEqual([operational, check, lastCheckFailed, uncheckedYet], ['up', 'failing', undefined, true])
})

test('a server that has begun to fail its checks is up, and its last check failed', requires('haproxy'), async (t) => {
  const origin = await Origin.start(t)
  const haproxy = await LocalHaproxy.start(t, { sections: () => checked(origin.port, 'inter 50ms rise 1 fall 1000') })
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web', 'second'] })
  const well = await serverOnce(balancer, 'web/a', (server) => server.check === 'passing')
  assert.deepEqual([well.lastCheckFailed, well.uncheckedYet], [undefined, undefined])
  origin.sayHealth(503)
  const failing = await serverOnce(balancer, 'web/a', (server) => server.lastCheckFailed === true)
  assert.deepEqual([failing.operational, failing.check], ['up', 'failing'])
  const following = await serverOnce(balancer, 'second/a', (server) => server.lastCheckFailed === true)
  assert.equal(following.operational, 'up')
})

for (const [rise, fall] of [
  [2, 1],
  [1, 1],
  [2, 3],
] as const) {
  test(
    `law: out of maint, the word of HAProxy that a server is up proves nothing; a dead server passes no check (rise ${rise}, fall ${fall})`,
    requires('haproxy'),
    async (t) => {
      const origin = await Origin.start(t)
      const options = `inter 300ms rise ${rise} fall ${fall}`
      const haproxy = await LocalHaproxy.start(t, { sections: () => checked(origin.port, options) })
      const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web', 'second'] })
      await serverOnce(balancer, 'web/a', (server) => server.check === 'passing')
      await balancer.setState(ref('web/a'), 'maint', never)
      const paused = await serverOf(balancer, 'web/a')
      assert.deepEqual([paused.check, paused.checkText], ['failing', 'checks are paused'])

      origin.sayHealth(503)
      await balancer.setState(ref('web/a'), 'drain', never)
      const back = await serverOf(balancer, 'web/a')
      assert.deepEqual([back.adminState, back.operational, back.check], ['drain', 'down', 'failing'])
      await serverOnce(balancer, 'web/a', (server) => {
        assert.equal(server.check, 'failing')
        return server.checkText === 'L7STS/503'
      })

      origin.sayHealth(200)
      const well = await serverOnce(balancer, 'web/a', (server) => server.operational === 'up')
      assert.deepEqual([well.adminState, well.check], ['drain', 'passing'])
    },
  )
}

test('a server in service is drained without a word about its health', requires('haproxy'), async (t) => {
  const origin = await Origin.start(t)
  const haproxy = await LocalHaproxy.start(t, { sections: () => checked(origin.port, 'inter 100ms fall 1') })
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
  await serverOnce(balancer, 'web/a', (server) => server.check === 'passing')
  await balancer.setState(ref('web/a'), 'drain', never)
  const { operational, check } = await serverOf(balancer, 'web/a')
  assert.deepEqual([operational, check], ['up', 'passing'])
})

test('a tracking server is as healthy as the one it tracks', requires('haproxy'), async (t) => {
  const origin = await Origin.start(t)
  const haproxy = await LocalHaproxy.start(t, { sections: () => checked(origin.port, 'inter 100ms rise 1 fall 1') })
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['second'] })
  const well = await serverOnce(balancer, 'second/a', (server) => server.check === 'passing')
  assert.match(well.checkText, /^L7OK(\/200)? \(web\/a\)$/)
  origin.sayHealth(500)
  const ill = await serverOnce(balancer, 'second/a', (server) => server.operational === 'down')
  assert.equal(ill.check, 'failing')
})

test('a 404 that asks for no more sessions is no passed check', requires('haproxy'), async (t) => {
  const origin = await Origin.start(t)
  const haproxy = await LocalHaproxy.start(t, {
    sections: () => `backend web
  option httpchk GET /healthz
  http-check disable-on-404
  server a 127.0.0.1:${origin.port} check inter 100ms
`,
  })
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
  await serverOnce(balancer, 'web/a', (server) => server.check === 'passing')
  origin.sayHealth(404)
  const leaving = await serverOnce(balancer, 'web/a', (server) => server.operational === 'stopping')
  assert.deepEqual([leaving.adminState, leaving.check], ['ready', 'failing'])
  assert.match(leaving.checkText, /^L7OKC(\/404)?$/)
})

test('a check that was disabled by hand counts as none', requires('haproxy'), async (t) => {
  const origin = await Origin.start(t)
  const haproxy = await LocalHaproxy.start(t, { sections: () => checked(origin.port, 'inter 100ms') })
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
  await serverOnce(balancer, 'web/a', (server) => server.check === 'passing')
  await haproxy.command('disable health web/a')
  assert.equal((await serverOf(balancer, 'web/a')).check, 'none')
})
