import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAINTENANCE_ANNOTATION } from '../../../src/ground/model/claims.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import type { IngressOp } from '../../../src/ingress/decide/op.ts'
import type { IngressSnapshot } from '../../../src/ingress/decide/snapshot.ts'
import { shortIngressDecision as short } from '../../support/ingress-decision.ts'
import { aNodeOf, anOp, aScene, aSlot, NODE_MARK, NOW, OURS, outFor } from '../../support/ingress-world.ts'

const r2 = { revision: 'r2' }
const OTHER = aNodeOf('n2', { deployment: r2 })
const byNode = { spec: { detach: { node: NODE_MARK } } }

/** Taken longer ago than any process waits with it. */
const OLD_SLOT = { kind: 'ours', index: 0, takenAt: wallMs(NOW - 40_000) } as const
const FULL = {
  budget: {
    limit: { kind: 'count', count: 1 },
    fleet: 12,
    out: [outFor('n1', 'slot'), outFor('n9', 'notReady')],
    slots: [aSlot(0, 'n1')],
  },
} as const

function deleted(nodes: IngressSnapshot['nodes']): IngressSnapshot {
  const s = aScene(nodes, byNode)
  return { ...s, object: { ...s.object, deleting: true } }
}

const unread = (s: IngressSnapshot): IngressSnapshot => ({
  ...s,
  budget: { ...s.budget, fault: { code: 'BudgetUnread', text: 'the node budget could not be read' } },
})

const afterOutage = (s: IngressSnapshot): IngressSnapshot => ({
  ...s,
  outage: { code: 'ApiWasAway', text: 'the API server was away' },
})

/** What the next process finds after the last write of the one before it, and what it does. */
const ROWS: readonly (readonly [title: string, world: IngressSnapshot, decision: string])[] = [
  ['the slot was taken: it begins', aScene([aNodeOf('n1', { slot: OURS }), OTHER]), 'n1 writeOp Detaching r2 marked'],
  [
    'the slot was taken, and there is no room by now: it waits a moment with it',
    aScene([aNodeOf('n1', { slot: OURS }), OTHER], FULL),
    'hold n1 BudgetUsedUp',
  ],
  [
    'the API server was away a moment ago: nothing is begun, since agents may not have heard who is back',
    afterOutage(aScene([aNodeOf('n1'), OTHER])),
    'hold n1 ApiWasAway',
  ],
  [
    'the slot was taken, and the API server was away then: it waits a moment with it',
    afterOutage(aScene([aNodeOf('n1', { slot: OURS }), OTHER])),
    'hold n1 ApiWasAway',
  ],
  [
    'the operation was written, and the API server was away before the claim: it goes back',
    afterOutage(aScene([aNodeOf('n1', { slot: OURS, op: anOp(), asks: 'd' }), OTHER], byNode)),
    'n1 writeOp Attaching r2',
  ],
  [
    'the claim was written, and the API server was away then: the node goes on',
    afterOutage(aScene([aNodeOf('n1', { slot: OURS, op: anOp(), asks: 'dc' }), OTHER], byNode)),
    'n1 markNode set',
  ],
  [
    'the slot was taken long ago, and there is no room: it is given back',
    aScene([aNodeOf('n1', { slot: OLD_SLOT }), OTHER], FULL),
    'n1 releaseSlot 0',
  ],
  [
    'the slot was taken, and the rollout is paused by now: it is given back',
    aScene([aNodeOf('n1', { slot: OURS }), OTHER], { spec: { rollout: { paused: true } } }),
    'n1 releaseSlot 0',
  ],
  [
    'the operation was written, and its mark with it: the claim is next',
    aScene([aNodeOf('n1', { slot: OURS, op: anOp(), asks: 'd' }), OTHER], byNode),
    'n1 claim',
  ],
  [
    'the operation was written, and another node went out before the claim: it goes back',
    aScene([aNodeOf('n1', { slot: OURS, op: anOp(), asks: 'd' }), OTHER], { ...byNode, ...FULL }),
    'n1 writeOp Attaching r2',
  ],
  [
    'the claim was written: the mark of the Node is next',
    aScene([aNodeOf('n1', { slot: OURS, op: anOp(), asks: 'dc' }), OTHER], byNode),
    'n1 markNode set',
  ],
  [
    'the Node was marked, and t1 is not written: its grace begins now',
    aScene([aNodeOf('n1', { slot: OURS, op: anOp(), asks: 'dcn' }), OTHER], byNode),
    'n1 writeOp Detaching r2',
  ],
  [
    'all stands, and the graces are over: the phase goes on before the template',
    aScene([aNodeOf('n1', { slot: OURS, op: anOp({}, { t1: 90 }), asks: 'dcn' }), OTHER], byNode),
    'n1 writeOp Updating r2',
  ],
  [
    'the phase was written: the template is next',
    aScene([aNodeOf('n1', { slot: OURS, op: anOp({ phase: 'Updating' }, { t1: 90, t2: 1 }), asks: 'dc' }), OTHER]),
    'n1 applyTemplate r2 at once',
  ],
  [
    'the template was written, and the phase was not: it counts as being updated',
    aScene([aNodeOf('n1', { slot: OURS, op: anOp({}, { t1: 90 }), asks: 'dc', deployment: r2 }), OTHER]),
    'n1 writeOp Updating r2',
  ],
  [
    'all pods are new: they are verified',
    aScene([
      aNodeOf('n1', { slot: OURS, op: anOp({ phase: 'Updating' }, { t1: 90, t2: 9 }), asks: 'dc', deployment: r2 }),
      OTHER,
    ]),
    'n1 writeOp Verifying r2',
  ],
  [
    'all pods are available: the way back is written first',
    aScene([
      aNodeOf('n1', { slot: OURS, op: anOp({ phase: 'Verifying' }, { t1: 90, t2: 9 }), asks: 'dc', deployment: r2 }),
      OTHER,
    ]),
    'n1 writeOp Attaching r2',
  ],
  [
    'all pods are ready, and not yet for minReadySeconds: they are waited for',
    aScene([
      aNodeOf('n1', {
        ...{ slot: OURS, op: anOp({ phase: 'Verifying' }, { t1: 90, t2: 9 }), asks: 'dc' },
        deployment: { ...r2, available: 0 },
      }),
      OTHER,
    ]),
    'hold n1 PodsNotReady',
  ],
  [
    'others gave its Deployment another revision while its pods were verified: they are updated again',
    aScene([
      aNodeOf('n1', {
        ...{ slot: OURS, op: anOp({ phase: 'Verifying' }, { t1: 90, t2: 9 }), asks: 'dc' },
        deployment: { ...r2, revision: 'rX' },
      }),
      OTHER,
    ]),
    'n1 writeOp Updating r2',
  ],
  [
    'the mark of its Deployment was set again a moment ago, as its pods were to change: its grace is waited for',
    aScene([
      aNodeOf('n1', {
        slot: OURS,
        op: anOp({ phase: 'Updating', markedAgain: wallMs(NOW - 5_000) }, { t1: 90, t2: 1 }),
        asks: 'dc',
      }),
      OTHER,
    ]),
    'hold n1 DetachGrace',
  ],
  [
    'the template was written before the node was asked to leave: it counts as being updated all the same',
    aScene([aNodeOf('n1', { slot: OURS, op: anOp(), asks: 'd', deployment: r2 }), OTHER]),
    'n1 writeOp Updating r2',
  ],
  [
    'another revision is wanted by now than the node was to get: it leaves for that one',
    aScene([aNodeOf('n1', { slot: OURS, op: anOp({ revision: 'r0' }, { t1: 5 }), asks: 'dc' }), OTHER]),
    'n1 writeOp Detaching r2',
  ],
  [
    'the way back was written: the mark of the Node goes first',
    aScene(
      [
        aNodeOf('n1', { slot: OURS, op: anOp({ phase: 'Attaching' }, { t1: 90, t2: 9 }), asks: 'dcn', deployment: r2 }),
        OTHER,
      ],
      byNode,
    ),
    'n1 unmarkNode removed',
  ],
  [
    'the Node was unmarked, and the Deployment was not: that is next',
    aScene(
      [
        aNodeOf('n1', { slot: OURS, op: anOp({ phase: 'Attaching' }, { t1: 90, t2: 9 }), asks: 'dc', deployment: r2 }),
        OTHER,
      ],
      byNode,
    ),
    'n1 unmarkDeployment',
  ],
  [
    'both were unmarked: the claim is withdrawn',
    aScene([
      aNodeOf('n1', { slot: OURS, op: anOp({ phase: 'Attaching' }, { t1: 90, t2: 9 }), asks: 'c', deployment: r2 }),
      OTHER,
    ]),
    'n1 withdrawClaim',
  ],
  [
    'all was withdrawn: the grace of the way back begins',
    aScene([aNodeOf('n1', { slot: OURS, op: anOp({ phase: 'Attaching' }, { t1: 90, t2: 9 }), deployment: r2 }), OTHER]),
    'n1 writeOp Attaching r2',
  ],
  [
    'all was withdrawn, and its agent does not give a good answer: the grace of the way back does not end',
    aScene([
      aNodeOf('n1', {
        slot: OURS,
        op: anOp({ phase: 'Attaching' }, { t1: 90, t2: 30, t3: 20 }),
        deployment: r2,
        is: { agent: { released: { id: 'op-0', since: wallMs(NOW - 60_000) } } },
      }),
      OTHER,
    ]),
    'hold n1 AgentNotHeard',
  ],
  [
    'its agent has given a good answer for less than the grace: it is waited for',
    aScene([
      aNodeOf('n1', {
        slot: OURS,
        op: anOp({ phase: 'Attaching' }, { t1: 90, t2: 30, t3: 20 }),
        deployment: r2,
        is: { agent: { released: { id: 'op-1', since: wallMs(NOW - 9_000) } } },
      }),
      OTHER,
    ]),
    'hold n1 AttachGrace',
  ],
  [
    'its agent has given a good answer for the grace: the operation goes',
    aScene([
      aNodeOf('n1', {
        slot: OURS,
        op: anOp({ phase: 'Attaching' }, { t1: 90, t2: 30, t3: 20 }),
        deployment: r2,
        is: { agent: { released: { id: 'op-1', since: wallMs(NOW - 10_000) } } },
      }),
      OTHER,
    ]),
    'n1 clearOp',
  ],
  [
    'that grace is not over: it is waited for',
    aScene([
      aNodeOf('n1', { slot: OURS, op: anOp({ phase: 'Attaching' }, { t1: 90, t2: 9, t3: 4 }), deployment: r2 }),
      OTHER,
    ]),
    'hold n1 AttachGrace',
  ],
  [
    'that grace is over: the operation goes',
    aScene([
      aNodeOf('n1', { slot: OURS, op: anOp({ phase: 'Attaching' }, { t1: 90, t2: 30, t3: 10 }), deployment: r2 }),
      OTHER,
    ]),
    'n1 clearOp',
  ],
  [
    'the operation is gone, and the slot is not: it is given back',
    aScene([aNodeOf('n1', { slot: OURS, deployment: r2 }), OTHER]),
    'n1 releaseSlot 0',
  ],
  [
    'the slot was lost while the node is out: it is taken again before anything disrupts',
    aScene([aNodeOf('n1', { op: anOp({}, { t1: 90 }), asks: 'dc' }), OTHER]),
    'n1 takeSlot 0',
  ],
  [
    'the slot was lost, and the budget cannot be read: nothing disrupts',
    unread(aScene([aNodeOf('n1', { op: anOp({}, { t1: 90 }), asks: 'dc' }), OTHER])),
    'hold  BudgetUnread',
  ],
  [
    'the slot was lost, and others have all: nothing disrupts',
    aScene([aNodeOf('n1', { op: anOp({}, { t1: 90 }), asks: 'dc' }), OTHER], {
      budget: {
        ...{ limit: { kind: 'count', count: 1 }, fleet: 2, out: [outFor('n1', 'claimed'), outFor('b', 'slot')] },
        slots: [aSlot(0, 'b')],
      },
    }),
    'hold n1 NodeSlotMissing',
  ],
  [
    'others wrote claims that cannot be read before the node was asked to leave: it is not asked',
    aScene([
      aNodeOf('n1', {
        ...{ slot: OURS, op: anOp(), asks: 'd' },
        node: { annotations: { [MAINTENANCE_ANNOTATION]: '{"version"' } },
      }),
      OTHER,
    ]),
    'hold n1 ClaimsUnreadable',
  ],
  [
    'the mark of the Node was removed by others: before the detacher is asked again, its earlier answer is made void',
    aScene([aNodeOf('n1', { slot: OURS, op: anOp({}, { t1: 90 }), asks: 'dc' }), OTHER], byNode),
    'n1 writeOp Detaching r2',
  ],
  [
    'the claim was removed by others while the node is out, before its pods change: it is detached anew',
    aScene([aNodeOf('n1', { slot: OURS, op: anOp({ phase: 'Updating' }, { t1: 90, t2: 1 }), asks: 'd' }), OTHER]),
    'n1 writeOp Detaching r2',
  ],
  [
    'the claim was removed by others while pods change: it is made again',
    aScene([
      aNodeOf('n1', {
        slot: OURS,
        op: anOp({ phase: 'Updating' }, { t1: 90, t2: 1 }),
        asks: 'd',
        deployment: { ...r2, ready: 0 },
      }),
      OTHER,
    ]),
    'n1 claim',
  ],
  [
    'the operation cannot be read: it is taken for detached, and its pods are verified as they are',
    aScene([aNodeOf('n1', { slot: OURS, op: '{"version":1', asks: 'dc' }), OTHER]),
    'n1 writeOp Verifying r1',
  ],
  [
    'the operation was removed, and its marks were not: the same',
    aScene([aNodeOf('n1', { asks: 'd', deployment: { ...r2, ready: 0 } }), OTHER]),
    'n1 writeOp Verifying r2',
  ],
  [
    'the operation is of a clock that is far ahead: its graces begin now',
    aScene([aNodeOf('n1', { slot: OURS, op: anOp({}, { t0: -600, t1: -599 }), asks: 'dc' }), OTHER]),
    'n1 writeOp Detaching r2',
  ],
  [
    'the object was deleted in the middle: the node is put back',
    deleted([aNodeOf('n1', { slot: OURS, op: anOp({ phase: 'Updating' }, { t1: 90, t2: 1 }), asks: 'dcn' })]),
    'n1 unmarkNode removed',
  ],
  [
    'the object was deleted, and its marks are gone: the grace of the way back begins',
    deleted([aNodeOf('n1', { slot: OURS, op: anOp({ phase: 'Updating' }, { t1: 90, t2: 1 }) })]),
    'n1 writeOp Attaching r2',
  ],
  ['the object was deleted, and nothing is left: the object goes', deleted([aNodeOf('n1'), OTHER]), 'removeFinalizer'],
  [
    'the object was deleted, and its slots cannot be read: it stays until they can',
    unread(deleted([aNodeOf('n1'), OTHER])),
    'hold  BudgetUnread',
  ],
]

for (const [title, world, decision] of ROWS) {
  test(`after a crash, ${title}`, () => assert.equal(short(decideIngress(world)), decision))
}

function writtenOp(s: IngressSnapshot): IngressOp {
  const decision = decideIngress(s)
  assert.ok(decision.kind === 'act')
  const [action] = decision.actions
  assert.ok(action?.kind === 'writeOp')
  return action.op
}

test('after a crash the grace of the mark is not begun anew', () => {
  const s = aScene([aNodeOf('n1', { slot: OURS, op: anOp(), asks: 'dc' }), OTHER])
  assert.deepEqual(writtenOp(s), { ...anOp(), t1: NOW })
})

test('where the mark of the Node is gone, or the times are of the future, nothing counts from before now', () => {
  const s = aScene([aNodeOf('n1', { slot: OURS, op: anOp({}, { t1: 90 }), asks: 'dc' }), OTHER], byNode)
  assert.deepEqual(writtenOp(s), anOp({}, { t0: 0 }))
  const ahead = anOp({ markedAgain: wallMs(NOW + 600_000) }, { t0: -600, t1: -599 })
  assert.deepEqual(
    writtenOp(aScene([aNodeOf('n1', { slot: OURS, op: ahead, asks: 'dc' }), OTHER])),
    anOp({}, { t0: 0 }),
  )
})
