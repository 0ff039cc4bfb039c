import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUsable, lastServers } from '../../../src/service/decide/last-usable-server.ts'
import type { ServerReading } from '../../../src/service/model/balancer.ts'
import { serverLike } from './server-example.ts'

test('usable is what takes new traffic now', () => {
  assert.equal(isUsable(serverLike()), true)
  assert.equal(isUsable(serverLike({ check: 'none' })), true)
  for (const adminState of ['drain', 'maint'] as const) assert.equal(isUsable(serverLike({ adminState })), false)
  for (const operational of ['starting', 'stopping', 'down'] as const) {
    assert.equal(isUsable(serverLike({ operational })), false)
  }
  assert.equal(isUsable(serverLike({ weight: 0 })), false)
  assert.equal(isUsable(serverLike({ backup: true })), false)
})

const AT_N1 = '10.0.0.1'
const atN1 = (server: ServerReading): boolean => server.address === AT_N1
const other = (facts: Partial<ServerReading> & { path?: string } = {}): ServerReading =>
  serverLike({ path: 'web/b', address: '10.0.0.2', ...facts })

const CASES: readonly { what: string; servers: readonly ServerReading[]; last: readonly string[] }[] = [
  { what: 'another usable one is left', servers: [serverLike(), other()], last: [] },
  { what: 'it stands alone', servers: [serverLike()], last: ['a'] },
  { what: 'the other is down', servers: [serverLike(), other({ operational: 'down' })], last: ['a'] },
  {
    what: 'the last check of the other failed',
    servers: [serverLike(), other({ lastCheckFailed: true })],
    last: ['a'],
  },
  {
    what: 'the other was not checked yet',
    servers: [serverLike(), other({ check: 'failing', uncheckedYet: true })],
    last: [],
  },
  { what: 'the other has no check', servers: [serverLike(), other({ check: 'none' })], last: [] },
  { what: 'its own last check failed', servers: [serverLike({ lastCheckFailed: true }), other()], last: [] },
  { what: 'the other is out', servers: [serverLike(), other({ adminState: 'drain' })], last: ['a'] },
  { what: 'the other is a backup', servers: [serverLike(), other({ backup: true })], last: ['a'] },
  { what: 'the other is sent nothing', servers: [serverLike(), other({ weight: 0 })], last: ['a'] },
  { what: 'the other is of another backend', servers: [serverLike(), other({ path: 'tls/b' })], last: ['a'] },
  { what: 'both are of the node', servers: [serverLike(), other({ address: AT_N1 })], last: ['a', 'b'] },
  { what: 'it is out already', servers: [serverLike({ adminState: 'drain' })], last: [] },
  { what: 'it is down already', servers: [serverLike({ operational: 'down' })], last: [] },
  { what: 'it is of weight 0', servers: [serverLike({ weight: 0 })], last: [] },
  { what: 'it is a backup that serves', servers: [serverLike({ backup: true })], last: ['a'] },
  { what: 'it only starts', servers: [serverLike({ operational: 'starting' })], last: ['a'] },
]

for (const { what, servers, last } of CASES) {
  test(`${last.length === 0 ? 'not the last' : 'the last'} usable server where ${what}`, () => {
    assert.deepEqual(
      lastServers(servers, atN1).map((it) => it.ref.server),
      last,
    )
  })
}

test('each backend is judged by itself', () => {
  const servers = [serverLike(), other(), serverLike({ path: 'tls/a' })]
  assert.deepEqual(
    lastServers(servers, atN1).map((it) => it.ref.backend),
    ['tls'],
  )
})
