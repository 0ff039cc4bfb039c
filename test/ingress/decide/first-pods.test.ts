import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import type { IngressNode, IngressSnapshot } from '../../../src/ingress/decide/snapshot.ts'
import { shortIngressDecision as short } from '../../support/ingress-decision.ts'
import { aNodeOf, anOp, aScene, aSlot, OURS, outFor } from '../../support/ingress-world.ts'

interface First {
  readonly ready: number
  readonly slot?: IngressNode['slot']
  readonly gate?: 'open' | 'closed'
  /** `leave`: its label was removed. */
  readonly is?: 'cordoned' | 'leave'
  /** The only slot of the budget is held for another node. */
  readonly isFull?: boolean
  readonly others?: readonly IngressNode[]
}

/** A node whose pods are the first ones there, and bear the mark from the beginning. */
function scene(first: First): IngressSnapshot {
  const { ready, slot, gate = 'closed', is, isFull, others = [aNodeOf('n2')] } = first
  const n1 = aNodeOf('n1', {
    op: anOp({ phase: 'Updating', revision: 'r1', isNew: true }, { t0: 60, t2: 60 }),
    ...(slot === undefined ? {} : { slot }),
    asks: 'd',
    node: { unschedulable: is === 'cordoned' },
    deployment: { ready, available: ready, gate },
    is: is === 'leave' ? { eligibility: 'Leave' } : {},
  })
  const full = { limit: { kind: 'count', count: 1 }, fleet: 12, out: [outFor('n9', 'slot')], slots: [aSlot(0, 'n9')] }
  return aScene([n1, ...others], {
    revisions: { desired: 'r1', current: 'r1' },
    ...(isFull === true ? { budget: full as IngressSnapshot['budget'] } : {}),
  })
}

/** Its template is changed before all of them are ready. */
const OTHER_WANTED: readonly (readonly [title: string, first: First, decision: string])[] = [
  ['none is ready: they are replaced at once', { ready: 0 }, 'n1 writeOp Updating r2'],
  ['one is ready: a slot first', { ready: 1 }, 'n1 takeSlot 0'],
  ['they are all ready: the same', { ready: 2 }, 'n1 takeSlot 0'],
  ['one is ready, and it has a slot: it waits for its detach', { ready: 1, slot: OURS }, 'n1 writeOp Detaching r2'],
]

const OLD = aNodeOf('n2', { deployment: { revision: 'r0' } })

const ROWS: readonly (readonly [title: string, first: First, decision: string])[] = [
  ['it is cordoned, and none is ready: pods may be evicted at once', { ready: 0, is: 'cordoned' }, 'n1 setGate open'],
  ['it is cordoned, and one is ready: a slot first', { ready: 1, is: 'cordoned' }, 'n1 takeSlot 0'],
  [
    'it is cordoned, and one became ready while the gate was open: that is closed first',
    { ready: 1, is: 'cordoned', gate: 'open' },
    'n1 setGate closed',
  ],
  [
    'it is cordoned, one is ready, and there is no room: the drain waits',
    { ready: 1, is: 'cordoned', isFull: true },
    'hold n1 BudgetUsedUp',
  ],
  [
    'it is cordoned, one is ready, and it has a slot: it is detached like any other',
    { ready: 1, is: 'cordoned', slot: OURS },
    'n1 writeOp Detaching r1',
  ],
  ['its label was removed, and none is ready: they go at once', { ready: 0, is: 'leave' }, 'n1 deleteDeployment'],
  ['its label was removed, and one is ready: a slot first', { ready: 1, is: 'leave' }, 'n1 takeSlot 0'],
  [
    'its label was removed, one is ready, and it has a slot: it is detached first',
    { ready: 1, is: 'leave', slot: OURS },
    'n1 writeOp Detaching r1',
  ],
  ['it is not to leave any more: the slot is given back', { ready: 1, slot: OURS }, 'n1 releaseSlot 0'],
  ['its second pod does not start: that is waited for without a slot', { ready: 1 }, 'hold n1 PodsNotReady'],
  [
    'it holds a slot to leave: no other node leaves beyond the limit',
    { ready: 1, is: 'leave', slot: OURS, others: [OLD, aNodeOf('n3')] },
    'n1 writeOp Detaching r1',
  ],
]

for (const [title, first, decision] of ROWS)
  test(`a node whose first pods come up: ${title}`, () => {
    assert.equal(short(decideIngress(scene(first))), decision)
  })

for (const [title, first, decision] of OTHER_WANTED)
  test(`a node whose first pods come up, and another revision is wanted: ${title}`, () => {
    const s = { ...scene(first), revisions: { desired: 'r2', current: 'r2' } }
    const [ofN1] = short(decideIngress(s)).split('; ')
    assert.equal(ofN1, decision)
  })

test('a new node of which a pod became ready before its template was changed is detached first', () => {
  const op = anOp({ phase: 'Updating', isNew: true }, { t0: 60, t2: 1 })
  const n1 = (ready: number) => aNodeOf('n1', { op, asks: 'd', deployment: { ready, available: ready } })
  const decided = (ready: number) =>
    short(decideIngress(aScene([n1(ready), aNodeOf('n2', { deployment: { revision: 'r2' } })])))
  assert.equal(decided(0), 'n1 applyTemplate r2 at once')
  assert.equal(decided(1), 'n1 takeSlot 0')
})

test('a new node that was cordoned with one of two pods ready is let go once its detach is over', () => {
  const op = anOp({ revision: 'r1' }, { t1: 90 })
  const n1 = aNodeOf('n1', {
    ...{ op, slot: OURS, asks: 'dc', node: { unschedulable: true } },
    deployment: { ready: 1, available: 1 },
  })
  const s = aScene([n1, aNodeOf('n2')], { revisions: { desired: 'r1', current: 'r1' } })
  assert.equal(short(decideIngress(s)), 'n1 setGate open')
})
