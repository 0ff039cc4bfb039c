import type { Hold } from './holds/hold-kinds.ts'

type Labels = Readonly<Record<string, string>>

/** Which nodes have a guard. */
export type GuardFollow =
  /** Those on which the pods of that DaemonSet are to run; it is in the namespace of the guard. */
  { readonly kind: 'daemonSet'; readonly name: string } | { readonly kind: 'nodes'; readonly nodeSelector: Labels }

/** An entry that a person wrote for one node. */
export interface ByHand {
  readonly node: string
  /** The person. */
  readonly by: string
  /** ISO 8601; a release always has one. */
  readonly until?: string
  readonly why?: string
}

/** What persons have written about nodes. `unreadable`: why the annotation makes no sense. */
export interface ByHandList {
  readonly entries: readonly ByHand[]
  readonly unreadable?: string
}

export interface GuardSpec {
  readonly follow: GuardFollow
  /** `PerNode`: a budget for each node. `Budget`: one Deployment and one budget for all. */
  readonly mode: 'PerNode' | 'Budget'
  /** Of all guards of a group one node is granted at a time. */
  readonly group: string
  /** corev1.PodTemplateSpec as it was written; absent: the default pod, of `image`. */
  readonly template?: Readonly<Record<string, unknown>>
  readonly image: string
  readonly priorityClassName?: string
  readonly minReadySeconds: number
  /** In mode Budget: what becomes of the replacement of a guard that a drain evicted. */
  readonly pendingReplacement: 'ScaleDown' | 'KeepPending'
  readonly onTargetGone: 'Keep' | 'Remove'
  /** From the grant until the guard has to be gone; then the node asks again. */
  readonly grantTimeoutMs: number
  readonly holds: readonly Hold[]
  readonly maxHold?: { readonly afterMs: number; readonly policy: 'Wait' | 'Release' }
  /** The second lock: a guard that is deleted stays until its node is granted. */
  readonly resistsDeletion: boolean
}

/** `evenkeel.dev/v1alpha1`, kind NodeGuard. */
export interface NodeGuard {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly generation: number
  /** It has a deletion timestamp. */
  readonly deleting: boolean
  readonly spec: GuardSpec
  readonly releases: ByHandList
  readonly heldByHand: ByHandList
}
