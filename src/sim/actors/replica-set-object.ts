import type { ApiObject } from '../world/api-object.ts'
import type { WrittenSelector } from '../world/label-selector.ts'
import type { PodTemplate } from './owned-pods.ts'
import type { Condition } from './pod-object.ts'

export interface ReplicaSetObject extends ApiObject {
  readonly spec: {
    readonly replicas?: number
    readonly minReadySeconds?: number
    readonly selector?: WrittenSelector
    readonly template: PodTemplate
  }
  readonly status?: {
    readonly replicas?: number
    readonly readyReplicas?: number
    readonly availableReplicas?: number
    readonly observedGeneration?: number
    readonly conditions?: readonly Condition[]
  }
}
