import type { KuredDaemonSet } from '../../ground/model/kured-lock.ts'
import type { ObjectRef } from '../../ground/model/object-ref.ts'

/** Rejects with WorldError (code KUBE_*), or with the signal's reason. Needs the rights to get and patch this one DaemonSet. */
export interface KuredLocks {
  /** Undefined where there is no such DaemonSet. */
  read(ref: ObjectRef, signal: AbortSignal): Promise<KuredDaemonSet | undefined>
  /** Null: the annotation is removed. WorldError KUBE_CONFLICT where the DaemonSet has changed since it was read. */
  write(seen: KuredDaemonSet, lock: string | null, signal: AbortSignal): Promise<void>
}
