import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LocalHaproxy } from '../../../../support/local-haproxy.ts'
import { requires } from '../../../../support/requires.ts'
import { never, opened, ref, serverOf } from './opened.ts'

const MANY = `backend web
  server a 127.0.0.1:1001
backend cookies
  cookie SRV insert
  server a 127.0.0.1:1001 cookie a
  server b 127.0.0.1:1002
backend counted
  stick-table type ip size 1k expire 5m store http_req_rate(10s)
  http-request track-sc0 src
  server a 127.0.0.1:1001
backend raw
  mode tcp
  server a 127.0.0.1:1001
backend voiced
  server a 127.0.0.1:1001 agent-check agent-port 1 agent-inter 1h
backend off
  disabled
  server a 127.0.0.1:1001
backend control
  mode tcp
  server a 127.0.0.1:6443
`
const OURS = ['web', 'cookies', 'counted', 'raw', 'voiced', 'off', 'absent']

test(
  'an inspection tells rights, absences, modes, memory of clients, agents and what is not ours',
  requires('haproxy'),
  async (t) => {
    const haproxy = await LocalHaproxy.start(t, { sections: () => MANY })
    const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: OURS })
    const found = await balancer.inspect('lb-1', never)
    assert.equal(found.level, 'admin')
    assert.equal(found.processes, 1)
    assert.deepEqual(found.missingBackends, ['absent'])
    assert.deepEqual(found.disabledBackends, ['off'])
    assert.deepEqual(found.outside, [{ backend: 'control', server: 'a', address: '127.0.0.1', port: 6443 }])
    assert.deepEqual(
      found.backends.map((it) => [
        it.name,
        it.mode,
        it.stickTable,
        it.servers.map((one) => [one.persistent, one.agent]),
      ]),
      [
        ['web', 'http', false, [[false, false]]],
        [
          'cookies',
          'http',
          false,
          [
            [true, false],
            [false, false],
          ],
        ],
        ['counted', 'http', false, [[false, false]]],
        ['raw', 'tcp', false, [[false, false]]],
        ['voiced', 'http', false, [[false, true]]],
      ],
    )
  },
)

test('an inspection changes nothing', requires('haproxy'), async (t) => {
  const haproxy = await LocalHaproxy.start(t, { sections: () => MANY })
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: OURS })
  await balancer.setState({ ...ref('web/a') }, 'drain', never)
  const states = 'show servers state; show table'
  // Seconds since the last change go on by themselves.
  const timeless = (text: string): string => text.replace(/^((?:\S+ ){9})\d+/gm, '$1')
  const before = timeless(await haproxy.command(states))
  await balancer.inspect('lb-1', never)
  assert.equal(timeless(await haproxy.command(states)), before)
})

/** What `memory` has beside the table that remembers the servers of `web`. */
const OWNERS = { 'no server': '', 'servers and uses it as well': '  stick on src\n  server a 127.0.0.1:2\n' }

for (const [owner, lines] of Object.entries(OWNERS)) {
  test(`a table of a backend that has ${owner} may remember the servers of any`, requires('haproxy'), async (t) => {
    const haproxy = await LocalHaproxy.start(t, {
      sections: () => `backend memory
  stick-table type ip size 1k expire 5m
${lines}backend web
  stick on src table memory
  server a 127.0.0.1:1
`,
    })
    const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
    assert.equal((await serverOf(balancer, 'web/a')).persistent, true)
  })
}

test('a reload that brings a stick table is noticed', requires('haproxy'), async (t) => {
  const plain = 'backend web\n  server a 127.0.0.1:1\n'
  const haproxy = await LocalHaproxy.start(t, { sections: () => plain })
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
  assert.equal((await serverOf(balancer, 'web/a')).persistent, false)
  await haproxy.reload({ sections: () => `${plain}  stick-table type ip size 1k\n  stick on src\n` })
  assert.equal((await serverOf(balancer, 'web/a')).persistent, true)
})

test(
  'a socket of level operator says so, and one of level user keeps back what we must know',
  requires('haproxy'),
  async (t) => {
    const haproxy = await LocalHaproxy.start(t, {
      global: (directory) => `  stats socket ${directory}/operator.sock mode 600 level operator
  stats socket ${directory}/user.sock mode 600 level user`,
      sections: () => MANY,
    })
    const through = (name: string) =>
      opened(t, { address: { kind: 'unix', path: `${haproxy.directory}/${name}.sock` }, backends: ['web', 'cookies'] })
    assert.equal((await through('operator').inspect('lb-1', never)).level, 'operator')
    assert.equal((await serverOf(through('operator'), 'cookies/a')).persistent, true)
    await assert.rejects(through('user').inspect('lb-1', never), { code: 'BALANCER_PERMISSION', retry: 'never' })
    await assert.rejects(through('user').read('lb-1', never), { code: 'BALANCER_PERMISSION', retry: 'never' })
  },
)
