import type { DisruptionBudget } from '../../../ground/model/disruption-budget.ts'

/** What a budget would allow if all its pods were healthy. */
export interface BudgetNeeds {
  readonly expectedPods: number
  readonly desiredHealthy: number
}

interface SelectedCounts {
  /** Pods that the budget selects, also those that have ended. */
  readonly pods: number
  /** The sum of the replicas in the specs of their controllers. */
  readonly replicas: number
}

/**
 * Follows the disruption controller (pkg/controller/disruption/disruption.go, getExpectedPodCount), and takes its numbers where
 * it has computed them. A percentage is always rounded up.
 */
export function budgetNeeds(budget: DisruptionBudget, selected: SelectedCounts): BudgetNeeds {
  const { expectedPods, desiredHealthy, minAvailable, maxUnavailable } = budget
  if (expectedPods > 0) {
    // Its status may be older than its spec.
    const isShut = maxUnavailable !== undefined && scaled(maxUnavailable, expectedPods) === 0
    if (isShut) return { expectedPods, desiredHealthy: expectedPods }
    // Of a number it counts the pods that exist, and a StatefulSet that starts, or cannot, has fewer than it wants.
    const isNumber = minAvailable !== undefined && !minAvailable.endsWith('%')
    return { expectedPods: isNumber ? Math.max(expectedPods, selected.replicas) : expectedPods, desiredHealthy }
  }
  if (maxUnavailable !== undefined) {
    const most = scaled(maxUnavailable, selected.replicas)
    return { expectedPods: selected.replicas, desiredHealthy: Math.max(0, selected.replicas - most) }
  }
  if (minAvailable?.endsWith('%') === true)
    return { expectedPods: selected.replicas, desiredHealthy: scaled(minAvailable, selected.replicas) }
  return { expectedPods: selected.pods, desiredHealthy: Number(minAvailable ?? 0) }
}

/** Whether one more replica would let a budget allow an eviction that it forbids now: with `maxUnavailable: 0` never. */
export const letsOneMoreHelp = ({ minAvailable, expectedPods }: DisruptionBudget): boolean =>
  minAvailable !== undefined && scaled(minAvailable, expectedPods + 1) <= expectedPods

function scaled(value: string, of: number): number {
  const percent = /^(\d+)%$/.exec(value)?.[1]
  return percent === undefined ? Number(value) : Math.ceil((Number(percent) * of) / 100)
}
