import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlanFinding } from '../../../../src/ground/model/plan-finding.ts'
import type { Pod } from '../../../../src/ground/model/pod.ts'
import type { PodPlacement } from '../../../../src/ground/model/pod-placement.ts'
import { wallMs } from '../../../../src/ground/model/time.ts'
import type { Toleration } from '../../../../src/ground/model/tolerations.ts'
import type { PlanSnapshot } from '../../../../src/roll/decide/plan/plan-snapshot.ts'
import { podFindings } from '../../../../src/roll/decide/plan/pod-findings.ts'
import { plain } from '../../../support/plain.ts'
import { aBudget, aPod, aWorkload } from '../../../support/roll-world.ts'
import { planSnapshot } from '../plan-snapshot.ts'

const tolerating = (toleration: Toleration): PodPlacement => ({
  requests: { cpuMilli: 0, memoryBytes: 0 },
  priority: 0,
  nodeSelector: {},
  tolerations: [toleration],
  hostPorts: [],
  apart: [],
  spread: [],
})
const CLONES = { controller: { kind: 'CloneSet', name: 'cart', uid: 'uid-cart' } } as const
const CART = aPod('cart-a', 'n1')
const { controller: _none, ...UNMANAGED } = aPod('debug', 'n1')
const under = (...budgets: PlanSnapshot['cluster']['budgets']) => ({ budgets, workloads: [aWorkload()] })

/** It never allows an eviction. */
const SHUT = aBudget({ maxUnavailable: '0', desiredHealthy: 3, currentHealthy: 3 })

const TABLE: readonly (readonly [
  title: string,
  pod: Pod,
  cluster: Partial<PlanSnapshot['cluster']>,
  finding: Omit<PlanFinding, 'node' | 'pods'> | undefined,
])[] = [
  [
    'no controller',
    UNMANAGED,
    {},
    {
      severity: 'error',
      code: 'PodUnmanaged',
      text: 'shop/debug has no controller that would replace it',
      fix: 'set drain.deleteUnmanaged: true to delete such pods',
    },
  ],
  [
    'data in an emptyDir',
    { ...CART, usesEmptyDir: true },
    {},
    {
      severity: 'error',
      code: 'PodEmptyDir',
      text: 'shop/cart-a keeps data in an emptyDir, which is lost when it moves',
      fix: 'set drain.deleteEmptyDirData: true to delete such data',
    },
  ],
  [
    'two budgets',
    CART,
    under(aBudget(), aBudget({ name: 'all' })),
    {
      severity: 'block',
      code: 'TwoBudgets',
      text: 'shop/cart-a is under budgets shop/all and shop/cart, which eviction does not support',
      fix: 'let only one budget select each pod',
    },
  ],
  [
    'a budget that is used up',
    CART,
    under(aBudget({ desiredHealthy: 2, currentHealthy: 1, expectedPods: 3 })),
    {
      severity: 'hold',
      code: 'BudgetExhausted',
      text: 'shop/cart-a cannot be evicted now: budget shop/cart needs 2 healthy pods and has 1 of 3',
      fix: 'wait until its pods are Ready: kubectl -n shop get pods',
    },
  ],
  [
    'a budget that lets a pod go which is not Ready, since as many are healthy as it needs',
    { ...CART, ready: false },
    under(aBudget({ desiredHealthy: 2, currentHealthy: 2, expectedPods: 3 })),
    undefined,
  ],
  [
    'a budget over a StatefulSet that is not whole yet',
    { ...CART, controller: { kind: 'StatefulSet', name: 'cart', uid: 'uid-cart' } },
    {
      ...under(aBudget({ minAvailable: '2', desiredHealthy: 2, currentHealthy: 1, expectedPods: 2 })),
      workloads: [aWorkload({ kind: 'StatefulSet', desired: 3, ready: 1 })],
      pods: [{ ...CART, controller: { kind: 'StatefulSet', name: 'cart', uid: 'uid-cart' } }],
    },
    {
      severity: 'hold',
      code: 'BudgetExhausted',
      text: 'shop/cart-a cannot be evicted now: budget shop/cart needs 2 healthy pods and has 1 of 2',
      fix: 'wait until its pods are Ready: kubectl -n shop get pods',
    },
  ],
  [
    'a budget that never allows an eviction',
    CART,
    under(aBudget({ maxUnavailable: '0' })),
    {
      severity: 'block',
      code: 'BudgetNever',
      text: 'shop/cart-a can never be evicted: budget shop/cart allows no eviction at all, since maxUnavailable: 0 keeps 3 of 3 pods',
      fix: 'set maxUnavailable: 1: kubectl -n shop edit poddisruptionbudget cart',
    },
  ],
  [
    'a budget of one pod that one more would not change',
    CART,
    under(aBudget({ maxUnavailable: '0', desiredHealthy: 1, currentHealthy: 1, expectedPods: 1 })),
    {
      severity: 'block',
      code: 'BudgetNever',
      text: 'shop/cart-a can never be evicted: budget shop/cart allows no eviction at all, since maxUnavailable: 0 keeps 1 of 1 pods',
      fix: 'set maxUnavailable: 1: kubectl -n shop edit poddisruptionbudget cart',
    },
  ],
  [
    'a budget of one pod that one more would change',
    CART,
    under(aBudget({ minAvailable: '1', desiredHealthy: 1, currentHealthy: 1, expectedPods: 1 })),
    {
      severity: 'block',
      code: 'BudgetNever',
      text: 'shop/cart-a can never be evicted: budget shop/cart allows no eviction at all, since minAvailable: 1 keeps 1 of 1 pods',
      fix: 'add a replica, or set maxUnavailable: 1: kubectl -n shop edit poddisruptionbudget cart',
    },
  ],
  [
    'a budget that the operator of its pod opens',
    { ...CART, controller: { kind: 'InstanceManager', name: 'im', uid: 'uid-im' } },
    under(aBudget({ minAvailable: '1', desiredHealthy: 1, currentHealthy: 1, expectedPods: 1 })),
    {
      severity: 'hold',
      code: 'BudgetOfOperator',
      text: 'shop/cart-a cannot be evicted as it stands now: budget shop/cart keeps 1 of 1 pods, and the operator of InstanceManager im may open it',
      fix: 'let the operator move the data, or make it whole; the budget protects it, so do not edit it. An entry in drain.blocked with wait says how long the roll may wait',
    },
  ],
  [
    'a budget that an operator keeps over pods of a Deployment',
    CART,
    under(
      aBudget({
        maxUnavailable: '0',
        desiredHealthy: 3,
        currentHealthy: 3,
        controller: { kind: 'CephCluster', name: 'rook-ceph', uid: 'uid-ceph' },
      }),
    ),
    {
      severity: 'hold',
      code: 'BudgetOfOperator',
      text: 'shop/cart-a cannot be evicted as it stands now: budget shop/cart keeps 3 of 3 pods, and the operator of CephCluster rook-ceph may open it',
      fix: 'let the operator move the data, or make it whole; the budget protects it, so do not edit it. An entry in drain.blocked with wait says how long the roll may wait',
    },
  ],
  [
    'a budget that cannot be computed',
    CART,
    under(aBudget({ syncFailed: true })),
    {
      severity: 'block',
      code: 'BudgetBroken',
      text: 'shop/cart-a cannot be evicted: budget shop/cart cannot be computed (condition SyncFailed)',
      fix: 'select only pods of workloads that have replicas, or write minAvailable as a number: kubectl -n shop edit poddisruptionbudget cart',
    },
  ],
  [
    'a pod that is not Ready under a budget that lets such pods go',
    { ...CART, ready: false },
    under(aBudget({ unhealthyPods: 'AlwaysAllow', currentHealthy: 1 })),
    undefined,
  ],
  ['a budget that allows one', CART, under(aBudget({ disruptionsAllowed: 1 })), undefined],
  ['a budget of the same labels in another namespace', CART, under(aBudget({ namespace: 'ops' })), undefined],
  [
    'a budget of other pods',
    CART,
    under(aBudget({ selector: { matchLabels: { app: 'db' }, matchExpressions: [] } })),
    undefined,
  ],
  [
    'a workload of one replica',
    CART,
    { workloads: [aWorkload({ desired: 1 })] },
    {
      severity: 'warning',
      code: 'SingleReplica',
      text: 'ReplicaSet shop/cart has 1 replica, which is away while it moves',
      fix: 'give it a second replica',
    },
  ],
  [
    'the one pod of a controller that is known by its pods alone',
    { ...CART, ...CLONES },
    { pods: [{ ...CART, ...CLONES }] },
    {
      severity: 'warning',
      code: 'SingleReplica',
      text: 'CloneSet shop/cart has 1 replica, which is away while it moves',
      fix: 'give it a second replica',
    },
  ],
  [
    'the pod of a Job',
    { ...CART, controller: { kind: 'Job', name: 'cart', uid: 'uid-cart' }, runsToEnd: true },
    {},
    undefined,
  ],
  [
    'a pod that tolerates every taint',
    { ...CART, placement: tolerating({ key: '', operator: 'Exists', value: '', effect: '' }) },
    { workloads: [aWorkload()] },
    {
      severity: 'warning',
      code: 'ToleratesCordon',
      text: 'shop/cart-a tolerates node.kubernetes.io/unschedulable, so the scheduler may put its replacement back on the node; of a workload at most one such pod goes down with the node, and the roll waits for the others',
      fix: 'remove this toleration from the pod template, or name the taints that it is for',
    },
  ],
  [
    'a pod that tolerates another taint',
    { ...CART, placement: tolerating({ key: 'dedicated', operator: 'Exists', value: '', effect: '' }) },
    { workloads: [aWorkload()] },
    undefined,
  ],
  ['a workload that is not listed', CART, {}, undefined],
  [
    'the pod of a NodeGuard, whose budget is shut until the node is granted',
    { ...CART, labels: { ...CART.labels, 'evenkeel.dev/guard': 'ceph' } },
    {
      ...under(aBudget({ desiredHealthy: 1, currentHealthy: 1, expectedPods: 1 })),
      workloads: [aWorkload({ desired: 1 })],
    },
    undefined,
  ],
  [
    'the pod of an IngressDaemonSet, whose budget is shut until its node is detached',
    { ...CART, labels: { ...CART.labels, 'evenkeel.dev/ingress-uid': 'u1' } },
    {
      ...under(aBudget({ desiredHealthy: 1, currentHealthy: 1, expectedPods: 1 })),
      workloads: [aWorkload({ desired: 1 })],
    },
    undefined,
  ],
  ['a pod that is being deleted already', { ...CART, terminating: true }, under(SHUT), undefined],
  ['a pod that has ended', { ...CART, phase: 'Succeeded' }, under(aBudget()), undefined],
  ['a mirror pod, which is not evicted', { ...CART, mirror: true }, under(aBudget()), undefined],
]

for (const [title, pod, cluster, finding] of TABLE) {
  test(`${title}: the plan finds ${finding?.code ?? 'nothing'}, and names the node where the pod has one`, () => {
    const { nodeName: _, ...unscheduled } = pod
    const found = (of: Pod) => plain(podFindings(planSnapshot({}, cluster), [of]))
    assert.deepEqual(found(pod), finding === undefined ? [] : [{ ...finding, node: 'n1', pods: [`shop/${pod.name}`] }])
    assert.deepEqual(found(unscheduled), finding === undefined ? [] : [{ ...finding, pods: [`shop/${pod.name}`] }])
  })
}

test('pods that are being deleted and do not end are named by what keeps them, those that end in time are not', () => {
  const wall = wallMs(Date.parse('2026-01-01T00:10:00Z'))
  const ending = { due: '2026-01-01T00:00:00Z', graceSeconds: 0, finalizers: ['example.com/kept'] }
  const kept = (name: string): Pod => aPod(name, 'n1', { terminating: true, ending })
  const late = aPod('late', 'n1', { terminating: true, ending: { ...ending, graceSeconds: 30, finalizers: [] } })
  const inTime = aPod('soon', 'n1', {
    terminating: true,
    ending: { due: '2026-01-01T00:10:20Z', graceSeconds: 30, finalizers: [] },
  })
  const daemon = { ...kept('agent'), controller: { kind: 'DaemonSet', name: 'agent', uid: 'uid-agent' } }
  const found = podFindings(planSnapshot({ wall }), [kept('a'), kept('b'), late, inTime, daemon])
  assert.deepEqual(plain(found.filter(({ code }) => code === 'PodFinalizer' || code === 'PodOverdue')), [
    {
      severity: 'hold',
      code: 'PodFinalizer',
      node: 'n1',
      pods: ['shop/a', 'shop/b'],
      text: 'shop/a has ended and is kept by its finalizer example.com/kept; likewise 1 more pod',
      fix: `only if the program that owns it is gone for good: kubectl -n shop patch pod a --type merge -p '{"metadata":{"finalizers":null}}'`,
    },
    {
      severity: 'hold',
      code: 'PodOverdue',
      node: 'n1',
      pods: ['shop/late'],
      text: 'shop/late was to end 10 min ago, and the kubelet of n1 has not ended it',
      fix: 'kubectl -n shop describe pod late',
    },
  ])
})
