import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DisruptionBudget } from '../../../../src/ground/model/disruption-budget.ts'
import { budgetNeeds } from '../../../../src/roll/decide/plan/budget-arithmetic.ts'
import { DISRUPTION_ROWS } from '../../../support/preflight/disruption-rows.ts'
import { aBudget } from '../../../support/roll-world.ts'

/** A budget that the disruption controller has not looked at. */
function unseen({ minAvailable, maxUnavailable }: Pick<DisruptionBudget, 'minAvailable' | 'maxUnavailable'>) {
  const { minAvailable: _, ...rest } = aBudget({ expectedPods: 0, desiredHealthy: 0, currentHealthy: 0 })
  return {
    ...rest,
    ...(minAvailable === undefined ? {} : { minAvailable }),
    ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
  }
}

for (const [spec, replicas, desired] of DISRUPTION_ROWS) {
  const [[field, value] = ['', '']] = Object.entries(spec)
  test(`${field}: ${value} of ${replicas} pods keeps ${desired}`, () => {
    const needs = budgetNeeds(unseen({ [field]: String(value) }), { pods: replicas, replicas })
    assert.deepEqual(needs, { expectedPods: replicas, desiredHealthy: desired })
  })
}

test('the numbers of the disruption controller go before our own, but for a budget that was shut since', () => {
  const known = aBudget({ minAvailable: '70%', expectedPods: 5, desiredHealthy: 4 })
  assert.deepEqual(budgetNeeds(known, { pods: 9, replicas: 9 }), { expectedPods: 5, desiredHealthy: 4 })
  const shut = { ...known, maxUnavailable: '0%' }
  assert.deepEqual(budgetNeeds(shut, { pods: 9, replicas: 9 }), { expectedPods: 5, desiredHealthy: 5 })
})

test('a number of pods is compared with the replicas that are wanted, also while they do not exist yet', () => {
  const young = aBudget({ minAvailable: '2', expectedPods: 2, desiredHealthy: 2 })
  assert.deepEqual(budgetNeeds(young, { pods: 2, replicas: 3 }), { expectedPods: 3, desiredHealthy: 2 })
  const share = aBudget({ minAvailable: '60%', expectedPods: 3, desiredHealthy: 2 })
  assert.deepEqual(budgetNeeds(share, { pods: 2, replicas: 4 }), { expectedPods: 3, desiredHealthy: 2 })
})
