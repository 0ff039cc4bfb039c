import type { ApiObject } from './api-object.ts'
import type { WrittenSelector } from './label-selector.ts'

/** `policy/v1`, what a budget asks for and what its controller says of it. */
export interface BudgetObject extends ApiObject {
  readonly spec: {
    readonly selector?: WrittenSelector
    readonly minAvailable?: number | string
    readonly maxUnavailable?: number | string
    readonly unhealthyPodEvictionPolicy?: string
  }
  readonly status: {
    readonly observedGeneration?: number
    readonly disruptionsAllowed?: number
    readonly currentHealthy?: number
    readonly desiredHealthy?: number
    readonly expectedPods?: number
    readonly disruptedPods?: Readonly<Record<string, string>>
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly reason?: string
      readonly message?: string
      readonly lastTransitionTime?: string
    }[]
  }
}
