import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import { formatOp } from '../../../src/ingress/decide/op.ts'
import type { IngressSnapshot } from '../../../src/ingress/decide/snapshot.ts'
import { shortIngressDecision as short } from '../../support/ingress-decision.ts'
import { aNodeOf, anOp, aScene, aSlot, OURS, outFor } from '../../support/ingress-world.ts'

const NEW = { revision: 'r2' }
const most = (count: number, percent?: number) => ({
  kind: 'detach' as const,
  maxUnavailableNodes:
    percent === undefined ? ({ kind: 'count', count } as const) : ({ kind: 'percent', percent } as const),
})
const zone = (name: string) => ({ labels: { 'topology.kubernetes.io/zone': name } })
const canary = (name: string, revision = 'r1') =>
  aNodeOf(name, { node: { labels: { canary: 'yes' } }, deployment: { revision } })
const budget = (change: Partial<IngressSnapshot['budget']> = {}): IngressSnapshot['budget'] => ({
  limit: { kind: 'count', count: 3 },
  fleet: 12,
  out: [],
  slots: [],
  ...change,
})
const stuckOp = anOp({ phase: 'Updating' }, { t1: 900, t2: 700 })
const stuck = aNodeOf('n1', { slot: OURS, op: stuckOp, asks: 'dc', deployment: { ...NEW, ready: 0, available: 0 } })
const BY_ANOTHER_RUN = aSlot(1, 'b', { owner: { holder: 'one/1', run: 'one', node: 'b' } })
const STUCK = 'n1 ProgressDeadlineExceeded'
const three = [aNodeOf('n1'), aNodeOf('n2'), aNodeOf('n3')]
/** By the hash of their names n3 comes first of these three, then n2. */
const ROWS: readonly (readonly [title: string, world: IngressSnapshot, decision: string])[] = [
  ['one at a time, in the order of a hash', aScene(three), 'n3 takeSlot 0'],
  [
    'as many at once as the limit allows',
    aScene(three, { spec: { strategy: most(2) } }),
    'n2 takeSlot 1; n3 takeSlot 0',
  ],
  ['a percentage is rounded down', aScene(three, { spec: { strategy: most(0, 67) } }), 'n2 takeSlot 1; n3 takeSlot 0'],
  ['and is one at least', aScene(three, { spec: { strategy: most(0, 1) } }), 'n3 takeSlot 0'],
  [
    'as many stay in service as are to',
    aScene(three, { spec: { strategy: most(3), rollout: { minInServiceNodes: 2 } } }),
    'n3 takeSlot 0',
  ],
  ['the only node is not taken out unless its object says so', aScene([aNodeOf('n1')]), 'hold web TooFewInService'],
  [
    'the only node is taken out where none is to stay in service',
    aScene([aNodeOf('n1')], { spec: { rollout: { minInServiceNodes: 0 } } }),
    'n1 takeSlot 0',
  ],
  [
    'the node budget is used up by others',
    aScene(three, { budget: budget({ out: ['a', 'b', 'c'].map((n) => outFor(n, 'notReady')) }) }),
    'hold n1 BudgetUsedUp n2 BudgetUsedUp n3 BudgetUsedUp',
  ],
  [
    'the node budget leaves room for one',
    aScene(three, {
      spec: { strategy: most(2) },
      budget: budget({ out: [outFor('a', 'slot'), outFor('b', 'claimed')], slots: [aSlot(0, 'a')] }),
    }),
    'n3 takeSlot 1',
  ],
  [
    'a stale slot is taken from its holder where no record needs it',
    aScene(three, {
      budget: budget({ limit: { kind: 'count', count: 1 }, slots: [aSlot(0, 'a', { isStale: true })] }),
    }),
    'n3 takeSlot 0',
  ],
  [
    'a stale slot is left alone while a record of its run stands',
    aScene(three, {
      budget: budget({
        limit: { kind: 'count', count: 2 },
        out: [outFor('a', 'recorded', 'other')],
        slots: [aSlot(0, 'a', { isStale: true }), BY_ANOTHER_RUN],
      }),
    }),
    'hold n1 BudgetUsedUp n2 BudgetUsedUp n3 BudgetUsedUp',
  ],
  [
    'the rollout is paused',
    aScene([aNodeOf('n1'), aNodeOf('n2', { deployment: NEW })], { spec: { rollout: { paused: true } } }),
    'hold web RolloutPaused',
  ],
  [
    'a partition keeps old nodes',
    aScene(three, { spec: { rollout: { partition: 3 } } }),
    'hold n1 PartitionKept n2 PartitionKept n3 PartitionKept',
  ],
  [
    'a partition lets the others go',
    aScene(three, { spec: { strategy: most(3), rollout: { partition: 2 } } }),
    'n3 takeSlot 0',
  ],
  [
    'canary nodes go first',
    aScene([aNodeOf('n3'), canary('n1')], { spec: { rollout: { canary: { canary: 'yes' } } } }),
    'n1 takeSlot 0',
  ],
  [
    'after the canary nodes it waits for a person',
    aScene([aNodeOf('n3'), canary('n1', 'r2')], {
      spec: { rollout: { canary: { canary: 'yes' } } },
    }),
    'hold n3 CanaryAwaited',
  ],
  [
    'a person lets it go on after the canary nodes',
    aScene([aNodeOf('n3'), canary('n1', 'r2')], {
      spec: { rollout: { canary: { canary: 'yes' } } },
      revisions: { desired: 'r2', current: 'r1', promoted: 'r2' },
    }),
    'n3 takeSlot 0',
  ],
  [
    'one zone after the other',
    aScene(
      [aNodeOf('n1', { node: zone('a') }), aNodeOf('n2', { node: zone('b') }), aNodeOf('n3', { node: zone('b') })],
      {
        spec: { strategy: most(3) },
      },
    ),
    'n1 takeSlot 0',
  ],
  [
    'a stuck node stops the rollout',
    aScene([stuck, aNodeOf('n2')], { spec: { strategy: most(2), rollout: { minInServiceNodes: 0 } } }),
    `hold ${STUCK} web RolloutStalled`,
  ],
  [
    'a stuck node that was skipped does not, and counts as out',
    aScene([{ ...stuck, request: { kind: 'skip', of: 'op-1' } }, aNodeOf('n2')], {
      spec: { rollout: { minInServiceNodes: 0 } },
    }),
    `hold ${STUCK} web IngressLimitReached`,
  ],
  [
    'a stuck node is tried again when a person asks for it',
    aScene([{ ...stuck, request: { kind: 'retry', of: 'op-1' } }, aNodeOf('n2', { deployment: NEW })]),
    'n1 writeOp Updating r2',
  ],
  [
    'a node whose detach has taken too long is tried again when a person asks for it',
    aScene([
      aNodeOf('n1', {
        slot: OURS,
        op: anOp({}, { t0: 700, t1: 699 }),
        asks: 'dc',
        is: { agent: {}, request: { kind: 'retry', of: 'op-1' } },
      }),
      aNodeOf('n2', { deployment: NEW }),
    ]),
    'n1 writeOp Detaching r2 marked',
  ],
  [
    'a wish for an earlier operation counts for nothing',
    aScene([{ ...stuck, request: { kind: 'retry', of: 'op-0' } }, aNodeOf('n2', { deployment: NEW })]),
    `hold ${STUCK}`,
  ],
  [
    'a newer revision goes to the stuck node first',
    aScene([stuck, aNodeOf('n2')], { revisions: { desired: 'r3', current: 'r1' } }),
    'n1 writeOp Updating r3',
  ],
  [
    'it goes back by itself where its object says so',
    aScene([stuck, aNodeOf('n2')], { spec: { rollout: { autoRollback: true } } }),
    'rejectRevision r2',
  ],
  [
    'after a rollback the stuck node gets the revision before',
    aScene([stuck, aNodeOf('n2')], {
      spec: { rollout: { autoRollback: true } },
      revisions: { desired: 'r2', current: 'r1', rejected: { revision: 'r2', isLifted: false } },
    }),
    'n1 writeOp Updating r1',
  ],
  [
    'most nodes are not Ready: nothing more is taken out',
    aScene([aNodeOf('n1', { node: { ready: 'False' } }), aNodeOf('n2', { node: { ready: 'False' } }), aNodeOf('n3')], {
      spec: { strategy: most(3), rollout: { minInServiceNodes: 0 } },
    }),
    'hold web MassDisruption n1 NodeNotReady web MassDisruption n2 NodeNotReady web MassDisruption',
  ],
  [
    'nodes that serve nothing go first, one at a time',
    aScene([
      aNodeOf('n1', { deployment: { ready: 0, available: 0 } }),
      aNodeOf('n3', { deployment: { ready: 0, available: 0 } }),
      aNodeOf('n2'),
    ]),
    'n3 takeSlot 0',
  ],
  [
    'nodes that serve nothing go beside the limit where the object says so',
    aScene(
      [
        aNodeOf('n1', { deployment: { ready: 0, available: 0 } }),
        aNodeOf('n3', { deployment: { ready: 0, available: 0 } }),
        aNodeOf('n2'),
      ],
      { spec: { rollout: { replaceUnavailableFirst: true } } },
    ),
    'n1 takeSlot 1; n3 takeSlot 0',
  ],
  [
    'nodes with some ready pods do not go beside the limit',
    aScene(
      [
        aNodeOf('n1', { deployment: { ready: 1, available: 1 } }),
        aNodeOf('n3', { deployment: { ready: 1, available: 1 } }),
        aNodeOf('n2'),
      ],
      { spec: { rollout: { replaceUnavailableFirst: true } } },
    ),
    'n3 takeSlot 0',
  ],
  [
    'nodes that serve nothing go beside the limit, and not beside the node budget',
    aScene(
      [
        aNodeOf('n1', { deployment: { ready: 0, available: 0 } }),
        aNodeOf('n3', { deployment: { ready: 0, available: 0 } }),
        aNodeOf('n2'),
      ],
      {
        spec: { rollout: { replaceUnavailableFirst: true } },
        budget: { limit: { kind: 'count', count: 1 }, fleet: 12, out: [], slots: [] },
      },
    ),
    'n3 takeSlot 0',
  ],
  [
    'a degraded node counts, and holds up those that serve',
    aScene([aNodeOf('n1', { deployment: { ...NEW, ready: 1, available: 1 } }), aNodeOf('n2')]),
    'hold web IngressLimitReached web TooFewInService',
  ],
  [
    'so does a node whose pods are ready, and not yet for minReadySeconds',
    aScene([aNodeOf('n1', { deployment: { ...NEW, available: 0 } }), aNodeOf('n2')]),
    'hold web IngressLimitReached web TooFewInService',
  ],
  [
    'a node that takes no new pods keeps those that it has',
    aScene([aNodeOf('n1', { is: { eligibility: 'Keep' } }), aNodeOf('n2', { deployment: NEW })]),
    'hold n1 NewPodsRefused',
  ],
  [
    'a cordoned node whose cordon is ignored gets no new pods either',
    aScene([aNodeOf('n1', { node: { unschedulable: true } }), aNodeOf('n2', { deployment: NEW })], {
      spec: { onCordon: 'Ignore' },
    }),
    'hold n1 NewPodsRefused',
  ],
  [
    'a roll has the slot of the node: its work is waited for',
    aScene([aNodeOf('n1', { slot: { kind: 'others', owner: 'run x' } }), aNodeOf('n2', { deployment: NEW })]),
    'hold n1 SlotOfOthers',
  ],
  ['caches are behind: nothing is done', aScene(three, { isFresh: false }), 'hold web IngressUnknown'],
  [
    'in place: the operation is written, and nothing is asked to leave',
    aScene([aNodeOf('n1', { slot: OURS }), aNodeOf('n2', { deployment: NEW })], { spec: { strategy: inPlace() } }),
    'n1 writeOp Updating r2',
  ],
  [
    'in place: the template comes without a detach',
    aScene(
      [
        aNodeOf('n1', { slot: OURS, op: anOp({ phase: 'Updating', inPlace: true }, { t2: 1 }) }),
        aNodeOf('n2', { deployment: NEW }),
      ],
      {
        spec: { strategy: inPlace() },
      },
    ),
    'n1 applyTemplate r2 in place',
  ],
]

function inPlace() {
  return {
    kind: 'inPlace',
    maxDegradedNodes: { kind: 'count', count: 1 },
    maxUnavailablePods: { kind: 'count', count: 1 },
    maxSurgedPods: { kind: 'count', count: 1 },
  } as const
}

for (const [title, world, decision] of ROWS) {
  test(`a rollout: ${title}`, () => assert.equal(short(decideIngress(world)), decision))
}

test('law: the template of a node that serves is not changed before the node is detached, unless its object updates in place; an operation that was written by others is no proof', () => {
  const forged = formatOp(anOp({ phase: 'Updating' }, { t2: 1 }))
  const s = aScene([aNodeOf('n1', { slot: OURS, op: forged }), aNodeOf('n2', { deployment: NEW })])
  assert.equal(short(decideIngress(s)), 'n1 writeOp Detaching r2')
})

for (const [out, says] of [
  [['n2'], '1 nodes of web are out or degraded (n2), and at most 1 may be'],
  [['n5', 'n3', 'n2'], '3 nodes of web are out or degraded (n2, n3, n5), and at most 1 may be'],
  [['n6', 'n5', 'n4', 'n3', 'n2'], '5 nodes of web are out or degraded (n2, n3, n4 and 2 more), and at most 1 may be'],
] as const)
  test(`a limit that is reached names the first three nodes that are out, of ${out.length}`, () => {
    const degraded = out.map((name) => aNodeOf(name, { deployment: { revision: 'r2', ready: 1, available: 1 } }))
    const s = aScene([aNodeOf('n1'), ...degraded], { spec: { rollout: { minInServiceNodes: 0 } } })
    const texts = decideIngress(s).reasons.map(({ text }) => text)
    assert.ok(texts.includes(says), texts.join('\n'))
  })
