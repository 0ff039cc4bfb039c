import type { ApiObject } from '../world/api-object.ts'
import type { PodTemplate } from './owned-pods.ts'

export interface DaemonSetObject extends ApiObject {
  readonly spec: {
    readonly minReadySeconds?: number
    readonly template: PodTemplate
    readonly updateStrategy?: {
      readonly type?: string
      readonly rollingUpdate?: { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string }
    }
  }
}
