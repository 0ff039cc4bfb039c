import { invariant } from '../model/invariant.ts'
import type { Random } from '../ports/random.ts'

export interface BackoffLimits {
  /** The upper bound of the first delay. */
  readonly baseMs: number
  /** The upper bound of every delay that no server asked for. */
  readonly capMs: number
}

/** The longest Retry-After that is obeyed: a hostile or broken one must not stop us for a day. */
const RETRY_AFTER_MAX_MS = 120_000

/** The part of a Retry-After that is obeyed. */
export const obeyedMs = (retryAfterMs = 0): number =>
  retryAfterMs > 0 ? Math.min(retryAfterMs, RETRY_AFTER_MAX_MS) : 0

/**
 * Delays between tries: exponential with full jitter, so that many callers that failed together do not come back
 * together. Never below a quarter of the base: a draw of zero would be a busy loop.
 *
 * Law: no retry is immediate, and Retry-After is honoured.
 */
export class Backoff {
  readonly #limits: BackoffLimits
  readonly #random: Random
  #tries = 0

  constructor(limits: BackoffLimits, random: Random) {
    invariant(limits.baseMs > 0 && limits.capMs >= limits.baseMs, 'a back-off needs 0 < base <= cap')
    this.#limits = limits
    this.#random = random
  }

  /** `retryAfterMs`: what a server asked for; at least this long is waited, and a little more. */
  nextMs(retryAfterMs?: number): number {
    const { baseMs, capMs } = this.#limits
    const ceilingMs = Math.min(capMs, baseMs * 2 ** Math.min(this.#tries, 30))
    this.#tries += 1
    const floorMs = baseMs / 4
    const ownMs = floorMs + this.#random.next() * (ceilingMs - floorMs)
    const askedMs = obeyedMs(retryAfterMs)
    return askedMs === 0 ? ownMs : Math.max(ownMs, askedMs + this.#random.next() * baseMs)
  }

  /** After a success: the next failure starts small again. */
  reset(): void {
    this.#tries = 0
  }
}
