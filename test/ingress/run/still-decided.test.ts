import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stillDecided } from '../../../src/ground/loop/owned/owned-loop.ts'
import type { NodeAction } from '../../../src/ingress/decide/action.ts'
import type { IngressReading } from '../../../src/ingress/decide/reading.ts'
import { actionKey } from '../../../src/ingress/decide/refusals.ts'
import { templateHash, wantedRevision } from '../../../src/ingress/decide/revision.ts'
import type { IngressNode, IngressSnapshot } from '../../../src/ingress/decide/snapshot.ts'
import { decidePass, type Seen, takesOut } from '../../../src/ingress/run/object-pass.ts'
import { shortIngressDecision } from '../../support/ingress-decision.ts'
import { aNodeOf, anIngress, anOp, aScene, aSlot, OURS, outFor } from '../../support/ingress-world.ts'
import { served } from '../../support/served-object.ts'

const OBJECT = anIngress()
const WANTED = templateHash(OBJECT.spec)
const KEPT = [served('ControllerRevision', wantedRevision(OBJECT, { number: 1, collisionCount: 0 }))]

const ingressReading = (n1: IngressNode, change: Partial<IngressSnapshot> = {}): IngressReading => ({
  snapshot: aScene([n1, aNodeOf('n2', { deployment: { revision: WANTED } })], {
    revisions: { desired: WANTED, current: 'r1' },
    ...change,
  }),
  deployments: { ours: new Map(), names: new Set(), surplus: [], orphans: [], taken: [] },
  gates: new Map(),
  otherGates: new Map(),
  revisions: KEPT,
  revisionNames: new Set(KEPT.map(({ name }) => name)),
})

const TAKE: NodeAction = { kind: 'takeSlot', node: 'n1', index: 0 }
const BEGIN: NodeAction = { kind: 'writeOp', node: 'n1', op: anOp({ revision: 'r0' }) }
const WAITS = aNodeOf('n1')
const HAS_SLOT = aNodeOf('n1', { slot: OURS })
const budget = aScene([]).budget

const ROWS: readonly (readonly [
  title: string,
  action: NodeAction,
  before: IngressReading,
  now: IngressReading | undefined,
  done: string,
])[] = [
  ['nothing changed', TAKE, ingressReading(WAITS), ingressReading(WAITS), 'n1 takeSlot 0'],
  [
    'another slot is the free one by now: that one is taken',
    TAKE,
    ingressReading(WAITS),
    ingressReading(WAITS, { budget: { ...budget, slots: [aSlot(0, 'n9')] } }),
    'n1 takeSlot 1',
  ],
  [
    'it is out of the budget by now',
    TAKE,
    ingressReading(WAITS),
    ingressReading(WAITS, {
      budget: { ...budget, limit: { kind: 'count', count: 1 }, out: [outFor('n9', 'claimed')] },
    }),
    'nothing',
  ],
  [
    'another revision is wanted by now: that one is written',
    BEGIN,
    ingressReading(HAS_SLOT),
    ingressReading(HAS_SLOT),
    `n1 writeOp Detaching ${WANTED} marked`,
  ],
  [
    'the node has the revision by now',
    BEGIN,
    ingressReading(HAS_SLOT),
    ingressReading(aNodeOf('n1', { slot: OURS, deployment: { revision: WANTED } })),
    'nothing',
  ],
  ['the object is gone', BEGIN, ingressReading(HAS_SLOT), undefined, 'nothing'],
]

const signal = new AbortController().signal
const seen = (reading: IngressReading): Seen => ({
  ...{ kind: 'seen', reading, object: reading.snapshot.object as Seen['object'], key: 'key', doubts: [] },
})
const still = (action: NodeAction, reading: IngressReading, fresh: () => Promise<IngressReading | undefined>) =>
  stillDecided(
    {
      ...{ decide: decidePass, keyOf: actionKey, takesOut },
      gatherFresh: async () => {
        const now = await fresh()
        return now === undefined ? undefined : seen(now)
      },
    },
    { action, seen: seen(reading), key: 'key' },
    signal,
  )

for (const [title, action, before, now, done] of ROWS)
  test(`before a node is taken out it is decided once more, and that is done: ${title}`, async () => {
    const decided = await still(action, before, async () => now)
    const said =
      decided === undefined
        ? 'nothing'
        : shortIngressDecision({ kind: 'act', actions: [decided.action as NodeAction], reasons: [] })
    assert.equal(said, done)
    assert.equal(decided?.seen.reading, decided === undefined ? undefined : now)
  })

test('what takes no node out is done as it was decided, and nothing is read for it', async () => {
  const action: NodeAction = { kind: 'releaseSlot', node: 'n1', index: 0 }
  const reading = ingressReading(HAS_SLOT)
  const decided = await still(action, reading, () => Promise.reject(new Error('it was read')))
  assert.deepEqual([decided?.action, decided?.seen.reading], [action, reading])
})
