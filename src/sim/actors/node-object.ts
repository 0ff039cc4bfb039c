import type { ApiObject } from '../world/api-object.ts'
import type { Condition, Quantities, Taint } from './pod-object.ts'

export interface NodeTaint extends Taint {
  /** RFC 3339. */
  readonly timeAdded?: string
}

/** A node as the controllers read and write it. */
export interface NodeObject extends ApiObject {
  readonly spec?: { readonly unschedulable?: boolean; readonly taints?: readonly NodeTaint[] }
  readonly status?: {
    readonly conditions?: readonly (Condition & { readonly lastHeartbeatTime?: string })[]
    readonly allocatable?: Quantities
    readonly volumesInUse?: readonly string[]
  }
}

/** As the node's Ready condition says; undefined where it has none. */
export const readiness = ({ status }: NodeObject): Condition['status'] | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.status
