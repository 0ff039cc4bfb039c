import type { BadSituation } from '../../support/preflight/bad-situation.ts'
import { budget, pods, replicas } from '../../support/preflight/manifests.ts'

const THREE = replicas('cart', { on: ['n1', 'n2', 'n3'] })

/** Budgets by arithmetic. */
export const BUDGET_SITUATIONS: readonly BadSituation[] = [
  {
    title: 'a budget with maxUnavailable 0',
    objects: [...THREE, budget('cart', 'cart', { maxUnavailable: 0 })],
    code: 'BudgetNever',
    says: '3 pods of ReplicaSet default/cart can never be evicted: budget default/cart allows no eviction at all, since maxUnavailable: 0 keeps 3 of 3 pods',
    fix: 'set maxUnavailable: 1: kubectl -n default edit poddisruptionbudget cart',
    exit: 3,
    explain: {
      of: 'pod default/cart-0',
      code: 'BudgetExhausted',
      says: /budget default\/cart needs 3 healthy pods and has 3 of 3; it allows no eviction at all/,
    },
  },
  {
    title: 'a budget that keeps as many pods as there are',
    objects: [...THREE, budget('cart', 'cart', { minAvailable: 3 })],
    code: 'BudgetNever',
    says: 'minAvailable: 3 keeps 3 of 3 pods',
    fix: 'set maxUnavailable: 1',
    exit: 3,
    explain: {
      of: 'pod default/cart-0',
      code: 'BudgetExhausted',
      says: /needs 3 healthy pods and has 3 of 3; it allows no eviction at all/,
    },
  },
  {
    title: 'a percentage that is rounded up to all pods',
    objects: [...replicas('cart', { on: ['n1', 'n2'] }), budget('cart', 'cart', { minAvailable: '51%' })],
    code: 'BudgetNever',
    says: 'minAvailable: 51% keeps 2 of 2 pods',
    fix: 'set maxUnavailable: 1',
    exit: 3,
    explain: {
      of: 'pod default/cart-1',
      code: 'BudgetExhausted',
      says: /needs 2 healthy pods and has 2 of 2; it allows no eviction at all/,
    },
  },
  {
    title: 'a budget for a single pod',
    objects: [...replicas('cart', { on: ['n1'] }), budget('cart', 'cart', { minAvailable: 1 })],
    code: 'BudgetNever',
    says: 'default/cart-0 can never be evicted',
    fix: 'add a replica',
    exit: 3,
    explain: {
      of: 'pod default/cart-0',
      code: 'BudgetExhausted',
      says: /needs 1 healthy pod and has 1 of 1; it allows no eviction at all/,
    },
  },
  {
    title: 'two budgets over the same pods',
    objects: [...THREE, budget('cart', 'cart', { maxUnavailable: 1 }), budget('all', 'cart', { maxUnavailable: 2 })],
    code: 'TwoBudgets',
    says: '3 pods of ReplicaSet default/cart are under budgets default/all and default/cart',
    fix: 'let only one budget select each pod',
    exit: 3,
    explain: {
      of: 'pod default/cart-0',
      code: 'TwoBudgets',
      says: /is under budget default\/all .* and budget default\/cart .*, which eviction does not support$/,
    },
  },
  {
    title: 'a budget with maxUnavailable over pods without a controller',
    objects: [...pods('cart', { on: ['n1', 'n2'] }), budget('cart', 'cart', { maxUnavailable: 1 })],
    spec: { drain: { deleteUnmanaged: true } },
    code: 'BudgetNever',
    says: '2 pods (default/cart-0 and default/cart-1) can never be evicted: budget default/cart allows no eviction at all, since maxUnavailable: 1 is a share of none',
    fix: 'write minAvailable as a number',
    exit: 3,
    explain: { of: 'pod default/cart-0', code: 'PodUnmanaged', says: /has no controller that would replace it/ },
  },
  {
    title: 'a budget that selects every pod of its namespace',
    objects: [...THREE, budget('all', undefined, { maxUnavailable: 1 })],
    code: 'BudgetSelectsAll',
    says: 'budget default/all selects every pod of namespace default',
    fix: 'the labels of one workload',
    exit: 0,
    explain: 'nothing waits for it',
  },
  {
    title: 'four pods of one budget on one node',
    objects: [
      ...replicas('cart', { on: ['n1', 'n1', 'n1', 'n1', 'n2'] }),
      budget('cart', 'cart', { maxUnavailable: '40%' }),
    ],
    code: 'BudgetSeveral',
    says: 'budget default/cart lets 2 of its pods go at a time, and n1 has 4, so they move at most 2 at a time',
    fix: 'topologySpreadConstraints',
    exit: 0,
    explain: {
      of: 'pod default/cart-2',
      evicted: ['cart-0', 'cart-1'],
      code: 'BudgetExhausted',
      says: /is to leave n1, which is cordoned, and is held up: .* needs 3 healthy pods and has 3 of 5$/,
    },
  },
  {
    title: 'a budget that is used up by a pod that is not Ready, and keeps that as well',
    objects: [
      ...replicas('cart', { on: ['n1', 'n2', 'n3'], unready: [1, 2] }),
      budget('cart', 'cart', { minAvailable: 2 }),
    ],
    code: 'BudgetUnhealthy',
    says: 'needs 2 healthy pods and has 1 of 3, and keeps 2 that are not Ready as well',
    fix: 'unhealthyPodEvictionPolicy: AlwaysAllow',
    exit: 0,
    explain: {
      of: 'pod default/cart-1',
      code: 'BudgetExhausted',
      says: /budget default\/cart needs 2 healthy pods and has 1 of 3$/,
    },
  },
  {
    title: 'a budget that is used up by a pod on a node that stays',
    objects: [
      ...replicas('cart', { on: ['n1', 'n2', 'n3'], unready: [2] }),
      budget('cart', 'cart', { minAvailable: 2 }),
    ],
    spec: { nodes: { names: ['n1', 'n2'] } },
    code: 'BudgetExhausted',
    says: '2 pods of ReplicaSet default/cart cannot be evicted now: budget default/cart needs 2 healthy pods and has 2 of 3',
    fix: 'wait until its pods are Ready',
    exit: 0,
    explain: {
      of: 'pod default/cart-0',
      code: 'BudgetExhausted',
      says: /budget default\/cart needs 2 healthy pods and has 2 of 3$/,
    },
  },
]
