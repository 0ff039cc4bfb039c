import type { Condition } from '../../ground/model/condition.ts'
import type { ObjectRef } from '../../ground/model/object-ref.ts'

/** A Service as it was read, with what its status says. */
export interface ServiceAsRead extends ObjectRef {
  readonly uid: string
  readonly resourceVersion: string
  /** Absent: this cluster counts no generations of Services. */
  readonly generation?: number
  readonly conditions: readonly Condition[]
}

/** Conditions in the status of a Service. Each call rejects with WorldError (code KUBE_*), or with the signal's reason. */
export interface ServiceConditions {
  /** Undefined: there is no such Service. */
  read(service: ObjectRef, signal: AbortSignal): Promise<ServiceAsRead | undefined>
  /** In place of the one of its type; the others stay. KUBE_CONFLICT where the Service was written since it was read. */
  write(service: ServiceAsRead, condition: Condition, signal: AbortSignal): Promise<void>
}
