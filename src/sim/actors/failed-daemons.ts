/** `flowcontrol.NewBackOff` of the controller manager (cmd/kube-controller-manager/app/apps.go). */
const FIRST_MS = 1_000
const LONGEST_MS = 900_000

interface Failure {
  readonly atMs: number
  readonly waitMs: number
}

/**
 * How long a failed pod of a DaemonSet stays on its node, since a kubelet that refuses pods would be asked again at once
 * (daemon_controller.go, podsShouldBeOnNode: failedPodsBackoff).
 */
export class FailedDaemons {
  readonly #byNode = new Map<string, Failure>()

  /** Milliseconds until it may be removed; undefined: it is removed now. */
  waitMs(node: string, nowMs: number): number | undefined {
    const last = this.#byNode.get(node)
    const sinceMs = nowMs - (last?.atMs ?? Number.NEGATIVE_INFINITY)
    if (last !== undefined && sinceMs < last.waitMs) return last.waitMs - sinceMs
    const isForgotten = last === undefined || sinceMs > 2 * LONGEST_MS
    this.#byNode.set(node, { atMs: nowMs, waitMs: isForgotten ? FIRST_MS : Math.min(LONGEST_MS, 2 * last.waitMs) })
    return undefined
  }
}
