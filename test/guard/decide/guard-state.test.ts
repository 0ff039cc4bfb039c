import assert from 'node:assert/strict'
import { test } from 'node:test'
import { guardStateOf } from '../../../src/guard/decide/from-status/guard-state.ts'
import { parseGuardStatus, queueOf } from '../../../src/guard/decide/from-status/parse-guard-status.ts'
import { readGuard } from './read-guard.ts'

const READY = 'Ready True AllGuarded 5 of 5 nodes are guarded'
const HELD = 'Held True NodesHeld held: n1'

const ROWS: readonly (readonly [title: string, said: Parameters<typeof readGuard>[0], is: string])[] = [
  ['every guard is there', { conditions: [READY] }, 'well AllGuarded: 5 of 5 nodes are guarded'],
  [
    'a node is being drained',
    {
      conditions: ['Ready False NodesUnguarded 4 of 5 nodes are guarded'],
      status: { nodes: [{ name: 'n3', state: 'Draining' }] },
    },
    'well NodesUnguarded: 4 of 5 nodes are guarded',
  ],
  ['a node is held', { conditions: [READY, HELD] }, 'held NodesHeld: held: n1'],
  ['a node is held for too long', { conditions: ['Held True HeldTooLong held: n1'] }, 'held HeldTooLong: held: n1'],
  [
    'a node is listed as held, and the condition is not there',
    { conditions: [READY], status: { nodes: [{ name: 'n1', state: 'Held' }] } },
    'held NodesHeld: a node that asks is held',
  ],
  [
    'two nodes are without their guards',
    { conditions: [HELD, 'Conflict True Conflict more than one node is without its guard: n1, n2'] },
    'held Conflict: more than one node is without its guard: n1, n2',
  ],
  [
    'the object is refused',
    { conditions: ['Stalled True GuardRefused spec.follow: neither', HELD] },
    'failed GuardRefused: spec.follow: neither',
  ],
  [
    'the controller saw an earlier spec',
    { status: { observedGeneration: 0 }, conditions: [HELD] },
    'unseen Unseen: the controller has not seen generation 1 of storage yet: it has seen 0',
  ],
  [
    'no controller has seen it',
    { status: { observedGeneration: undefined } },
    'unseen Unseen: the controller has not seen generation 1 of storage yet: it has not seen it at all',
  ],
  [
    'it is being deleted',
    { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } },
    'failed Deleted: storage is being deleted',
  ],
]

for (const [title, said, is] of ROWS) {
  test(`how a NodeGuard stands: ${title}`, () => {
    const { kind, code, why } = guardStateOf(readGuard(said))
    assert.equal(`${kind} ${code}: ${why}`, is)
  })
}

test('nodes that ask are queued by when they began to, then by name; a grant that ran out puts a node last', () => {
  const at = (second: number) => `2026-01-01T00:00:0${second}Z`
  const nodes = [
    { name: 'n1', state: 'Held', requestedAt: at(3) },
    { name: 'n5', state: 'Requested', requestedAt: at(1), waitedFrom: at(9) },
    { name: 'n4', state: 'Requested', requestedAt: at(2) },
    { name: 'n2', state: 'Requested', requestedAt: at(2) },
    { name: 'n3', state: 'Granted', requestedAt: at(1) },
    { name: 'n6', state: 'Requested' },
  ]
  const queue = queueOf(parseGuardStatus(readGuard({ status: { nodes } })))
  assert.deepEqual(
    queue.map(({ name }) => name),
    ['n2', 'n4', 'n1', 'n5', 'n6'],
  )
})
