import type { Pod } from './pod.ts'

/** How a pod that is being deleted ends. */
export interface PodEnding {
  /** ISO 8601: the end of its grace, by the clock of the API server. */
  readonly due: string
  /** 0: its containers have ended, or it was deleted by force. */
  readonly graceSeconds: number
  readonly finalizers: readonly string[]
}

/** A pod with what shows why it does not end, or does not begin. */
export interface SeenPod {
  readonly pod: Pod
  /** Absent: it is not being deleted. */
  readonly ending?: PodEnding
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
