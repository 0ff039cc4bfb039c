import type { Lease } from '../model/lease.ts'
import { type MonoMs, monoMs } from '../model/time.ts'

/**
 * Finds out whether a holder is gone, only by our own monotonic clock: a Lease that did not change for its duration *while we
 * watched* is stale. The times in it are those of another machine and prove nothing. So no holder is ever found stale at the
 * first reading, and a clock that is set changes nothing.
 */
export class LeaseWatcher {
  readonly #durationMs: number
  #version: string | undefined
  #unchangedSince: MonoMs = monoMs(0)

  /** `durationMs` is ours. The longer of both durations counts: a Lease without one is not stale at once. */
  constructor(durationMs: number) {
    this.#durationMs = durationMs
  }

  /** How long until this Lease is stale if it is never seen to change; 0: it is. */
  staleInMs(lease: Lease, now: MonoMs): number {
    // Any write counts as a sign of life, not only a renewal: an error in this direction only makes us wait longer.
    const version = JSON.stringify([lease.resourceVersion, lease.holder, lease.renewTime])
    if (version !== this.#version) {
      this.#version = version
      this.#unchangedSince = now
    }
    const theirsMs = Number.isFinite(lease.durationSeconds) ? lease.durationSeconds * 1000 : 0
    return Math.max(0, this.#unchangedSince + Math.max(this.#durationMs, theirsMs) - now)
  }
}
