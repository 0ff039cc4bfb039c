import type { DisruptionBudget } from '../../../ground/model/disruption-budget.ts'

/** What a budget would allow if all its pods were healthy. */
export interface BudgetNeeds {
  readonly expectedPods: number
  readonly desiredHealthy: number
}

interface SelectedCounts {
  /** Pods that it selects, those that have ended included. */
  readonly pods: number
  /** Replicas that their controllers want together. */
  readonly replicas: number
}

/**
 * As the disruption controller has it (pkg/controller/disruption/disruption.go, getExpectedPodCount): its own numbers where it
 * has worked them out. A percentage is rounded up, whichever way it counts.
 */
export function budgetNeeds(budget: DisruptionBudget, selected: SelectedCounts): BudgetNeeds {
  const { expectedPods, desiredHealthy, minAvailable, maxUnavailable } = budget
  if (expectedPods > 0) {
    // Its status may be older than its spec.
    const isShut = maxUnavailable !== undefined && scaled(maxUnavailable, expectedPods) === 0
    return { expectedPods, desiredHealthy: isShut ? expectedPods : desiredHealthy }
  }
  if (maxUnavailable !== undefined) {
    const most = scaled(maxUnavailable, selected.replicas)
    return { expectedPods: selected.replicas, desiredHealthy: Math.max(0, selected.replicas - most) }
  }
  if (minAvailable?.endsWith('%') === true)
    return { expectedPods: selected.replicas, desiredHealthy: scaled(minAvailable, selected.replicas) }
  return { expectedPods: selected.pods, desiredHealthy: Number(minAvailable ?? 0) }
}

/** Whether a budget that allows no eviction would allow one if its pods had one replica more: `maxUnavailable: 0` never does. */
export const letsOneMoreHelp = ({ minAvailable, expectedPods }: DisruptionBudget): boolean =>
  minAvailable !== undefined && scaled(minAvailable, expectedPods + 1) <= expectedPods

function scaled(value: string, of: number): number {
  const percent = /^(\d+)%$/.exec(value)?.[1]
  return percent === undefined ? Number(value) : Math.ceil((Number(percent) * of) / 100)
}
