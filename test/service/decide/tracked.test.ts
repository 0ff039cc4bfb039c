import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildRecord } from '../../../src/roll/decide/build-record.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import { serviceOf } from '../../../src/roll/decide/service-of.ts'
import { keepDetached } from '../../../src/service/decide/keep-detached.ts'
import type { Action } from '../../../src/service/model/action.ts'
import type { AdminState, ServerReading } from '../../../src/service/model/balancer.ts'
import type { NodeRecord } from '../../../src/service/model/node-record.ts'
import { cordoned, settled, withPort } from '../../support/roll-stages.ts'
import { anInstance, aRecord, aServer, aSnapshot, detachedEvidence } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

/** The server of n1 in backend `live`, which has the health check, and the one in `web`, which tracks it. */
interface Pair {
  readonly tracked?: Partial<ServerReading>
  readonly tracking?: Partial<ServerReading>
}

const OUT = { adminState: 'drain', ownState: 'drain' } as const
/** Out by the server that it tracks: nothing is set on it itself. */
const INHERITS = { adminState: 'drain', ownState: 'ready', inherited: true } as const

const ref = (backend: string, server: string) => ({ ref: { instance: 'lb-1', backend, server } })

const instances = ({ tracked = {}, tracking = {} }: Pair) => [
  anInstance(
    [
      aServer('n1', { ...ref('live', 'n1'), ...tracked }),
      aServer('n1', { ...ref('web', 'n1'), ...tracking }),
      aServer('n2', ref('live', 'n2')),
      aServer('n2', ref('web', 'n2')),
    ],
    { backends: ['live', 'web'] },
  ),
]

interface Before {
  readonly live?: AdminState
  readonly web?: AdminState
  readonly webServed?: boolean
}

function recordOf({ live = 'ready', web = 'ready', webServed = true }: Before = {}): NodeRecord {
  const [server] = aRecord().servers
  assert.ok(server)
  return aRecord({
    servers: [
      { ...server, backend: 'live', state: live, operational: 'up' },
      { ...server, backend: 'web', state: web, operational: webServed ? 'up' : 'down' },
    ],
  })
}

const texts = (actions: readonly Action[]): readonly string[] =>
  actions.map((action) => (action.kind === 'setServer' ? `${action.ref.backend} ${action.state}` : action.kind))

/** What the servers of n1 are told on its way out; else why it waits. */
function leaving(pair: Pair): readonly string[] {
  const decision = decide(aSnapshot({ ...cordoned, record: recordOf(), change: { instances: instances(pair) } }))
  return decision.kind === 'act' ? texts(decision.actions) : [shortDecision(decision)]
}

/** What they are told on the way back of a node that is settled. */
function returning(pair: Pair, before: Before = {}): readonly string[] {
  const s = aSnapshot({ ...settled, record: recordOf(before), change: { instances: instances(pair) } })
  const decision = decide(withPort(s))
  return decision.kind === 'act' ? texts(decision.actions) : [shortDecision(decision)]
}

test('the record says what was set on a server itself, not what it has from the one that it tracks', () => {
  const { servers } = buildRecord(aSnapshot({ change: { instances: instances({ tracked: OUT, tracking: INHERITS }) } }))
  assert.deepEqual(
    servers.map(({ backend, state }) => [backend, state]),
    [
      ['live', 'drain'],
      ['web', 'ready'],
    ],
  )
})

test('a server that is out by the one that it tracks is told to leave itself', () => {
  assert.deepEqual(leaving({}), ['live drain', 'web drain'])
  assert.deepEqual(leaving({ tracked: OUT, tracking: INHERITS }), ['web drain'])
  assert.deepEqual(leaving({ tracked: OUT, tracking: { ...OUT, inherited: true } }), [
    'hold detach: InBalancer InBalancer',
  ])
})

test('so it is after a reload, though the one that it tracks was told first', () => {
  const [seen] = Object.values(detachedEvidence().detached)
  assert.ok(seen)
  const s = aSnapshot({
    ...cordoned,
    record: recordOf(),
    evidence: { detached: { 'live/n1 on lb-1': seen, 'web/n1 on lb-1': seen } },
    change: { instances: instances({ tracked: OUT, tracking: INHERITS }) },
  })
  assert.deepEqual(texts(keepDetached(serviceOf(s))), ['web drain'])
})

test('no tracked server is left in drain, nor one that tracks it', () => {
  assert.deepEqual(returning({ tracked: OUT, tracking: { ...OUT, inherited: true } }), ['live ready', 'web ready'])
  assert.deepEqual(returning({ tracked: OUT, tracking: INHERITS }), ['live ready'])
  assert.deepEqual(returning({ tracking: OUT }), ['web ready'])
  assert.deepEqual(returning({}), ['hold soak: Soaking'])
})

test('a server whose tracked one was out before goes back to its own state, and waits for nothing that is not ours', () => {
  const before = { live: 'drain', webServed: true } as const
  assert.deepEqual(returning({ tracked: OUT, tracking: { ...OUT, inherited: true } }, before), ['web ready'])
  assert.deepEqual(returning({ tracked: OUT, tracking: INHERITS }, before), ['hold soak: Soaking'])
  const down = { ...INHERITS, operational: 'down' } as const
  assert.deepEqual(returning({ tracked: OUT, tracking: down }, before), ['hold soak: Soaking'])
})

test('a server whose tracked one was in maint before leaves drain for its own state without a check that could pass', () => {
  const maint = { adminState: 'maint', ownState: 'maint', operational: 'down', check: 'failing' } as const
  const tracking = {
    adminState: 'maint',
    ownState: 'drain',
    inherited: true,
    operational: 'down',
    check: 'failing',
  } as const
  const before = { live: 'maint', webServed: false } as const
  assert.deepEqual(returning({ tracked: maint, tracking }, before), ['web ready'])
})

test('a server that was in drain itself goes back there, though it inherits the same from the one that it tracks', () => {
  assert.deepEqual(returning({ tracked: OUT, tracking: INHERITS }, { live: 'drain', web: 'drain' }), ['web drain'])
})
