import type { Pod } from '../../ground/model/pod.ts'

/** A pod with the fields that show why it does not end, or does not begin. */
export interface SeenPod {
  readonly pod: Pod
  /** Why its containers do not run or are not ready, in the words of the kubelet. */
  readonly waiting: readonly string[]
}

/** The Ready condition of a Node, beside its status. */
export interface Readiness {
  readonly reason: string
  readonly message: string
  /** ISO 8601; absent: the condition has no time. */
  readonly since?: string
}
