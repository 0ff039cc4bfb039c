import type { LabelSelector } from './label-selector.ts'
import type { ObjectRef } from './object-ref.ts'
import type { PodOwner } from './pod.ts'

export type WorkloadKind = 'Deployment' | 'ReplicaSet' | 'StatefulSet' | 'DaemonSet'

/** The fields of an apps/v1 workload that are used. */
export interface Workload {
  readonly kind: WorkloadKind
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly labels: Readonly<Record<string, string>>
  readonly selector: LabelSelector
  /** spec.replicas; for a DaemonSet the number of nodes that it should run on. */
  readonly desired: number
  /** status.readyReplicas or numberReady. */
  readonly ready: number
  /** Why its ReplicaSet could not make a pod, in the API's words. */
  readonly failure?: string
  readonly controller?: PodOwner
  /** A DaemonSet of kured: its lock, as kured writes it. */
  readonly rebootLock?: string
  /** The annotation with that lock. Absent: kured's default. */
  readonly rebootLockKey?: string
}

/** `Kind namespace/name`: the key in the record, and the name in texts. */
export const workloadKey = ({ kind, namespace, name }: ObjectRef & { readonly kind: string }): string =>
  `${kind} ${namespace}/${name}`
