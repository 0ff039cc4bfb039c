import type { ApiObject } from '../world/api-object.ts'
import type { WrittenSelector } from '../world/label-selector.ts'
import type { PodTemplate } from './owned-pods.ts'
import type { Condition } from './pod-object.ts'
import { shareOf } from './share-of.ts'

export interface DeploymentObject extends ApiObject {
  readonly spec: {
    readonly replicas?: number
    readonly paused?: boolean
    readonly minReadySeconds?: number
    readonly progressDeadlineSeconds?: number
    readonly revisionHistoryLimit?: number
    readonly selector?: WrittenSelector
    readonly template: PodTemplate
    readonly strategy?: {
      readonly type?: string
      readonly rollingUpdate?: { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string }
    }
  }
  readonly status?: {
    readonly replicas?: number
    readonly updatedReplicas?: number
    readonly readyReplicas?: number
    readonly availableReplicas?: number
    readonly conditions?: readonly DeploymentCondition[]
  }
}

export interface DeploymentCondition extends Condition {
  readonly lastUpdateTime?: string
}

interface RollingLimits {
  readonly surge: number
  readonly unavailable: number
}

/**
 * How far a rollout may differ from the wanted number (deployment_util.go, ResolveFenceposts): at least one of both is above 0.
 */
export function rollingLimits({ spec }: DeploymentObject): RollingLimits {
  const { replicas = 1, strategy } = spec
  // Available means all of them then (deployment_util.go, MaxUnavailable).
  if (strategy?.type === 'Recreate') return { surge: 0, unavailable: 0 }
  const { maxSurge = '25%', maxUnavailable = '25%' } = strategy?.rollingUpdate ?? {}
  const surge = shareOf(maxSurge, replicas, Math.ceil)
  const unavailable = Math.min(replicas, shareOf(maxUnavailable, replicas, Math.floor))
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable }
}
