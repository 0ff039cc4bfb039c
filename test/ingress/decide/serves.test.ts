import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import type { IngressDeployment, IngressSnapshot } from '../../../src/ingress/decide/snapshot.ts'
import { ingressStatus } from '../../../src/ingress/decide/status.ts'
import { formatHealthOrder, HEALTH_ANNOTATION } from '../../../src/service/model/health-order.ts'
import { shortIngressDecision as short } from '../../support/ingress-decision.ts'
import { aNodeOf, anOp, aScene, DEPLOYMENT_MARK, OURS, outFor, type SpecChange } from '../../support/ingress-world.ts'

const most = (count: number) => ({ kind: 'detach', maxUnavailableNodes: { kind: 'count', count } }) as const
const told = (s: IngressSnapshot) => ingressStatus(s, decideIngress(s).reasons)

/** What the health port of the node goes by. */
const order = (minReadyPods: number): Partial<IngressDeployment> => {
  const { key, value } = DEPLOYMENT_MARK
  return { annotations: { [HEALTH_ANNOTATION]: formatHealthOrder({ ports: [1], minReadyPods, mark: { key, value } }) } }
}
const outBudget = (...names: readonly string[]): Partial<IngressSnapshot> => ({
  budget: { limit: { kind: 'count', count: 3 }, fleet: 12, out: names.map((n) => outFor(n, 'claimed')), slots: [] },
})

test('a node whose pods are ready serves, also before minReadySeconds are over, and is not taken out as if it served nothing', () => {
  const young = aNodeOf('n1', { deployment: { available: 1 } })
  const done = ['n2', 'n3'].map((name) => aNodeOf(name, { deployment: { revision: 'r2' } }))
  const s = aScene([young, ...done], outBudget('n2', 'n3'))
  assert.match(short(decideIngress(s)), /^hold .*IngressLimitReached/)
  assert.equal(told(s)?.fields.readyNodes, 1)
})

const MORE: SpecChange = {
  podsPerNode: 3,
  minReadyPodsPerNode: 3,
  strategy: most(2),
  rollout: { minInServiceNodes: 2 },
}
const growing = (name: string) => aNodeOf(name, { deployment: { ...order(2), replicas: 3 } })

test('nodes serve by the number of pods that is in force on them, while the pods that an edit adds are not there yet', () => {
  const s = aScene([growing('n1'), growing('n2'), growing('n3')], { spec: MORE })
  assert.equal(short(decideIngress(s)), 'n3 takeSlot 0')
  assert.equal(told(s)?.fields.readyNodes, 3)
})

test('a node with fewer pods than the number in force does not serve, whatever the spec says by now', () => {
  const s = aScene([aNodeOf('n1', { deployment: { ...order(2), ready: 1, available: 1 } }), aNodeOf('n2')], {
    spec: { minReadyPodsPerNode: 1 },
  })
  assert.equal(told(s)?.fields.readyNodes, 1)
})

const LACKS = { ready: 1, available: 1 }
const lacking = (revision: string) => aNodeOf('n1', { deployment: { revision, ready: 1, available: 1 } })

for (const revision of ['r1', 'r2'])
  test(`a node that lacks a pod makes a healthy one wait, and is said to be degraded, whatever its revision: ${revision}`, () => {
    const s = aScene([lacking(revision), aNodeOf('n2'), aNodeOf('n3')], { spec: { minReadyPodsPerNode: 1 } })
    const decision = short(decideIngress(s))
    assert.equal(decision, revision === 'r1' ? 'n1 takeSlot 0' : 'hold web IngressLimitReached web IngressLimitReached')
    const degraded = told(s)?.conditions.find(({ type }) => type === 'Degraded')
    assert.deepEqual([degraded?.status, degraded?.reason], ['True', 'NodesDegraded'])
  })

test('a paused object says that pods are missing on a node of the revision before', () => {
  const s = aScene([lacking('r1'), aNodeOf('n2')], { spec: { minReadyPodsPerNode: 1, rollout: { paused: true } } })
  assert.equal(told(s)?.conditions.find(({ type }) => type === 'Degraded')?.reason, 'NodesDegraded')
})

test('where all nodes lack pods, a new template still goes to one after the other', () => {
  const all = ['n1', 'n2', 'n3'].map((name) => aNodeOf(name, { deployment: LACKS }))
  assert.equal(short(decideIngress(aScene(all, { spec: { minReadyPodsPerNode: 1 } }))), 'n3 takeSlot 0')
  const begun = aNodeOf('n3', { deployment: LACKS, slot: OURS, asks: 'd', op: anOp({}, { t0: 1 }) })
  const s = aScene([begun, ...all.slice(0, 2)], { spec: { minReadyPodsPerNode: 1 } })
  assert.equal(short(decideIngress(s)), 'n3 claim')
})
