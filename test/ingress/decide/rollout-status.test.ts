import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import { knownRollout } from '../../../src/ingress/decide/known-rollout.ts'
import type { IngressSnapshot } from '../../../src/ingress/decide/snapshot.ts'
import { ingressStatus } from '../../../src/ingress/decide/status.ts'
import { aNodeOf, anOp, aScene, NOW, OURS } from '../../support/ingress-world.ts'

const NEW = { revision: 'r2' }
const EARLIER = wallMs(NOW - 3_600_000)
const OUT = aNodeOf('n1', { slot: OURS, op: anOp(), asks: 'dc' })
const LAST = aNodeOf('n1', { slot: OURS, op: anOp({ phase: 'Attaching' }), deployment: NEW })
const DONE = aNodeOf('n2', { deployment: NEW })
const WORKED_ON = aNodeOf('n1', { slot: OURS, op: anOp(), asks: 'dc', deployment: NEW, node: { unschedulable: true } })
const ALL_HAD = { desired: 'r2', current: 'r2' }

const ROWS: readonly (readonly [title: string, s: IngressSnapshot, rollout: unknown])[] = [
  ['it begins now', aScene([OUT, DONE]), { startedAt: '2026-01-01T00:00:00Z', admitted: ['n1'] }],
  [
    'it began before, and another process told so',
    aScene([OUT, DONE], { knownRollout: { revision: 'r2', startedAt: EARLIER } }),
    { startedAt: '2025-12-31T23:00:00Z', admitted: ['n1'] },
  ],
  [
    'what is told is of another revision',
    aScene([OUT, DONE], { knownRollout: { revision: 'r1', startedAt: EARLIER } }),
    { startedAt: '2026-01-01T00:00:00Z', admitted: ['n1'] },
  ],
  [
    'nothing is let go yet',
    aScene([aNodeOf('n1'), DONE], { spec: { rollout: { paused: true } } }),
    { startedAt: '2026-01-01T00:00:00Z', admitted: [] },
  ],
  ['it is over', aScene([aNodeOf('n1', { deployment: NEW }), DONE]), undefined],
  [
    'all had it before, and a node is out for the work of others',
    aScene([WORKED_ON, DONE], { revisions: ALL_HAD }),
    undefined,
  ],
  [
    'back to the revision that all had, and the last node is on its way back',
    aScene([LAST, DONE], { revisions: ALL_HAD, knownRollout: { revision: 'r2', startedAt: EARLIER } }),
    { startedAt: '2025-12-31T23:00:00Z', admitted: ['n1'] },
  ],
]

for (const [title, s, rollout] of ROWS)
  test(`the status tells of the rollout that is under way: ${title}`, () => {
    assert.deepEqual(ingressStatus(s, [])?.fields.rollout, rollout)
  })

test('what a status tells of a rollout is read as it was written, and nothing else is', () => {
  const status = { updateRevision: 'r2', rollout: { startedAt: '2025-12-31T23:00:00Z', admitted: ['n1'] } }
  assert.deepEqual(knownRollout(status), { revision: 'r2', startedAt: EARLIER })
  for (const odd of [
    {},
    { updateRevision: 'r2' },
    { ...status, updateRevision: 7 },
    { ...status, rollout: { startedAt: 'now' } },
  ])
    assert.equal(knownRollout(odd), undefined)
})
