/** pkg/kubelet/kubelet.go, "backOffPeriod", "MaxCrashLoopBackOff", and twice that to be forgiven. */
const FIRST_MS = 10_000
const LONGEST_MS = 300_000
const FORGIVEN_AFTER_MS = 600_000

/** How long a container that ended waits for its next start: not at all the first time, then longer and longer. */
export class RestartBackOff {
  #nextMs = 0

  /** `ranMs`: how long it had run. */
  next(ranMs: number): number {
    if (ranMs >= FORGIVEN_AFTER_MS) this.#nextMs = 0
    const ms = this.#nextMs
    this.#nextMs = longer(ms)
    return ms
  }
}

/** How long an image that could not be pulled is not pulled again (pkg/kubelet/images/image_manager.go). */
export class PullBackOff {
  #nextMs = FIRST_MS

  next(): number {
    const ms = this.#nextMs
    this.#nextMs = longer(ms)
    return ms
  }
}

const longer = (ms: number): number => Math.min(LONGEST_MS, ms === 0 ? FIRST_MS : 2 * ms)
