import type { Pod } from '../../ground/model/pod.ts'

/** A pod with what shows why it does not end, or does not begin. */
export interface SeenPod {
  readonly pod: Pod
  /** Why containers of it do not run or are not ready, in the words of the kubelet. */
  readonly waiting: readonly string[]
}

/** The Ready condition of a Node, beside its status. */
export interface Readiness {
  readonly reason: string
  readonly message: string
  /** ISO 8601; absent: the condition does not say since when it is so. */
  readonly since?: string
}
