import type { LabelSelector } from './label-selector.ts'
import { isOfOperator, type Pod, type PodOwner } from './pod.ts'

/** The fields of a policy/v1 PodDisruptionBudget that are used. */
export interface DisruptionBudget {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly selector: LabelSelector
  /** As written in the spec: `1` or `50%`. */
  readonly minAvailable?: string
  readonly maxUnavailable?: string
  /** What is done with running pods that are not ready; absent: `IfHealthyBudget`. */
  readonly unhealthyPods?: 'AlwaysAllow'
  readonly disruptionsAllowed: number
  readonly currentHealthy: number
  readonly desiredHealthy: number
  readonly expectedPods: number
  /** The disruption controller could not compute the budget (condition DisruptionAllowed, reason SyncFailed). */
  readonly syncFailed: boolean
  /** The object that keeps the budget; absent where people wrote it. */
  readonly controller?: PodOwner
}

/**
 * The object of an operator that keeps the budget or its pod. An operator guards data by a budget that it opens by itself once a node is
 * cordoned or the data is whole: Longhorn, CloudNativePG and KubeVirt for pods of their own, Rook and ECK for those of Deployments and
 * StatefulSets.
 */
export const operatorOf = (
  pod: Pick<Pod, 'controller'>,
  budget: Pick<DisruptionBudget, 'controller'>,
): PodOwner | undefined =>
  [budget, pod].flatMap(({ controller }) => controller ?? []).find((owner) => isOfOperator(owner))

/**
 * Whether the eviction handler lets a pod that is not Ready go past its budget (eviction.go): under `AlwaysAllow`, and else while as many
 * are healthy as are needed.
 */
export const letsUnreadyGo = ({ unhealthyPods, currentHealthy, desiredHealthy }: DisruptionBudget): boolean =>
  unhealthyPods === 'AlwaysAllow' || (desiredHealthy > 0 && currentHealthy >= desiredHealthy)
