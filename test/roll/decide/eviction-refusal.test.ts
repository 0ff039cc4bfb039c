import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DisruptionBudget } from '../../../src/ground/model/disruption-budget.ts'
import type { EvictionAnswer } from '../../../src/ground/model/eviction.ts'
import { plainText } from '../../../src/ground/model/sentence.ts'
import { evictionRefusal, neverAllows } from '../../../src/roll/decide/drain/budget-reasons.ts'
import { aBudget, aPod } from '../../support/roll-world.ts'

/** `CODE: text | next never` of the pod shop/cart-1. */
function refused(answer: EvictionAnswer, budgets: readonly DisruptionBudget[] = []): string {
  const { code, object, text, next, never } = evictionRefusal(aPod('cart-1', 'n1'), answer, budgets)
  assert.equal(object, 'shop/cart-1')
  return `${code}: ${text}${next === undefined ? '' : ` | ${plainText(next)}`}${never === true ? ' | never' : ''}`
}

const budget: EvictionAnswer = { kind: 'budget', refusal: { budget: 'cart', need: 2, have: 1 } }
const other = aBudget({ name: 'all', desiredHealthy: 1, currentHealthy: 4, expectedPods: 5 })

const REFUSALS: readonly (readonly [answer: EvictionAnswer, budgets: readonly DisruptionBudget[], refusal: string])[] =
  [
    [budget, [], 'BudgetExhausted: shop/cart-1, budget cart needs 2 healthy, has 1'],
    [
      { kind: 'budget', refusal: { budget: 'cart' } },
      [],
      'BudgetExhausted: shop/cart-1, budget cart needs ? healthy, has ?',
    ],
    [budget, [aBudget()], 'BudgetExhausted: shop/cart-1, budget shop/cart needs 2 healthy, has 1 of 3'],
    [
      { kind: 'budgetStale', refusal: { budget: 'cart' } },
      [aBudget()],
      'BudgetExhausted: shop/cart-1, budget shop/cart needs 2 healthy, has 2 of 3',
    ],
    [budget, [other, aBudget()], 'BudgetExhausted: shop/cart-1, budget shop/cart needs 2 healthy, has 1 of 3'],
    [
      { kind: 'budget', refusal: { budget: 'none' } },
      [other],
      'BudgetExhausted: shop/cart-1, budget shop/all needs 1 healthy, has 4 of 5',
    ],
    [
      budget,
      [aBudget({ namespace: 'ops' }), aBudget({ selector: { matchLabels: { app: 'api' }, matchExpressions: [] } })],
      'BudgetExhausted: shop/cart-1, budget cart needs 2 healthy, has 1',
    ],
    [
      budget,
      [aBudget({ maxUnavailable: '0' })],
      'BudgetExhausted: shop/cart-1, budget shop/cart needs 2 healthy, has 1 of 3; it allows no eviction at all, so waiting alone will not help | kubectl -n shop edit poddisruptionbudget cart | never',
    ],
    [
      budget,
      [aBudget({ syncFailed: true })],
      'BudgetBroken: shop/cart-1: budget shop/cart cannot be computed (condition SyncFailed) | never',
    ],
    [
      { kind: 'budgetBroken', refusal: { budget: 'cart' }, text: 'no controller' },
      [],
      'BudgetBroken: shop/cart-1: budget cart cannot be computed: no controller | never',
    ],
    [
      { kind: 'twoBudgets', text: 'two' },
      [aBudget(), other],
      'TwoBudgets: shop/cart-1 is under budget shop/cart (needs 2 healthy, has 2) and budget shop/all (needs 1 healthy, has 4), which eviction does not support | let only one budget select each pod | never',
    ],
    [
      { kind: 'twoBudgets', text: 'two' },
      [aBudget()],
      'TwoBudgets: shop/cart-1 is under more than one budget, which eviction does not support | let only one budget select each pod | never',
    ],
    [{ kind: 'throttled' }, [], 'Throttled: the API server is busy; the eviction of shop/cart-1 is tried again'],
    [
      { kind: 'putOff', text: 'a webhook moves it first' },
      [],
      'EvictionPutOff: the eviction of shop/cart-1 is put off, and tried again: a webhook moves it first',
    ],
    [{ kind: 'namespaceTerminating' }, [], 'NamespaceTerminating: the namespace of shop/cart-1 is being deleted'],
    [
      { kind: 'passing', text: 'timeout' },
      [],
      'EvictionFailed: the eviction of shop/cart-1 failed and is tried again: timeout',
    ],
    [
      { kind: 'refused', text: 'a webhook', status: 403 },
      [],
      'EvictionRefused: the eviction of shop/cart-1 is refused (403): a webhook',
    ],
    [{ kind: 'accepted' }, [], 'PodLeaving: shop/cart-1 is leaving'],
    [{ kind: 'gone' }, [], 'PodLeaving: shop/cart-1 is leaving'],
    [{ kind: 'replaced' }, [], 'PodLeaving: shop/cart-1 is leaving'],
  ]

for (const [answer, budgets, refusal] of REFUSALS) {
  test(`an eviction that was answered with ${JSON.stringify(answer)} under ${budgets.length} budgets: ${refusal}`, () => {
    assert.equal(refused(answer, budgets), refusal)
  })
}

test('a budget never allows an eviction where it says so, or wants all pods there are and has them', () => {
  const never = (change: Partial<DisruptionBudget>, pod = aPod('cart-a', 'n1')): boolean =>
    neverAllows(pod, aBudget(change))
  assert.equal(never({}), false)
  assert.equal(never({ maxUnavailable: '0' }), true)
  assert.equal(never({ maxUnavailable: '0%' }), true)
  assert.equal(never({ maxUnavailable: '1' }), false)
  assert.equal(never({ maxUnavailable: '0', disruptionsAllowed: 1 }), false)
  assert.equal(never({ desiredHealthy: 3, currentHealthy: 3 }), true)
  assert.equal(never({ desiredHealthy: 4, currentHealthy: 4 }), true)
  assert.equal(never({ desiredHealthy: 3, currentHealthy: 2 }), false)
  assert.equal(never({ desiredHealthy: 2, currentHealthy: 3 }), false)
  const ofOperator = aPod('pg-1', 'n1', { controller: { kind: 'Cluster', name: 'pg', uid: 'uid-pg' } })
  assert.equal(never({ desiredHealthy: 3, currentHealthy: 3 }, ofOperator), false, 'its operator may open it')
  const controller = { kind: 'CephCluster', name: 'rook-ceph', uid: 'uid-ceph' }
  assert.equal(never({ maxUnavailable: '0', controller }), false, 'the operator that keeps the budget may open it')
})

test('the shut budget of a NodeGuard is what the NodeGuard decides, and one that cannot be computed is broken as any other', () => {
  const pod = aPod('ceph-a', 'n1', { labels: { 'evenkeel.dev/guard': 'ceph' } })
  const shut = { name: 'ceph', selector: { matchLabels: pod.labels, matchExpressions: [] }, maxUnavailable: '0' }
  const of = (answer: EvictionAnswer, change: Partial<DisruptionBudget> = {}) => {
    const { code, never } = evictionRefusal(pod, answer, [aBudget({ ...shut, ...change })])
    return [code, never]
  }
  const refusal = { budget: 'ceph' }
  assert.deepEqual(of({ kind: 'budget', refusal }), ['GuardNotGranted', undefined])
  assert.deepEqual(of({ kind: 'budgetStale', refusal }), ['GuardNotGranted', undefined])
  assert.deepEqual(of({ kind: 'budget', refusal }, { syncFailed: true }), ['BudgetBroken', true])
  assert.deepEqual(of({ kind: 'throttled' }), ['Throttled', undefined])
})
