import type { Lease } from '../model/lease.ts'
import { type MonoMs, monoMs } from '../model/time.ts'

/**
 * Tells a holder that is gone from one that lives, by our own monotonic clock alone: a Lease that did not change for
 * its duration *while we looked* is stale. The times written in it are another machine's and prove nothing. So no holder
 * is ever found stale at first sight, and a clock that is set changes nothing.
 */
export class LeaseWatcher {
  readonly #durationMs: number
  #version: string | undefined
  #unchangedSince: MonoMs = monoMs(0)

  /** `durationMs`: ours. The longer of both durations counts: a Lease that claims none is not stale at once. */
  constructor(durationMs: number) {
    this.#durationMs = durationMs
  }

  /** How long until this Lease is stale if it is never seen to change; 0: it is. */
  staleInMs(lease: Lease, now: MonoMs): number {
    // Any write counts as a sign of life, not the renewal alone: wrong that way, we only wait longer.
    const version = JSON.stringify([lease.resourceVersion, lease.holder, lease.renewTime])
    if (version !== this.#version) {
      this.#version = version
      this.#unchangedSince = now
    }
    const theirsMs = Number.isFinite(lease.durationSeconds) ? lease.durationSeconds * 1000 : 0
    return Math.max(0, this.#unchangedSince + Math.max(this.#durationMs, theirsMs) - now)
  }
}
