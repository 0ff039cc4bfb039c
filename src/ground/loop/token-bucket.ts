import type { MonoMs } from '../model/time.ts'
import type { Clock } from '../ports/clock.ts'

interface Rate {
  /** How many may be taken at once after a silence. */
  readonly burst: number
  /** One more may be taken after each of these. */
  readonly everyMs: number
}

/** A rate limit without waiting: a call beyond it is refused. */
export class TokenBucket {
  readonly #rate: Rate
  readonly #clock: Clock
  #tokens: number
  #at: MonoMs

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate
    this.#clock = clock
    this.#tokens = rate.burst
    this.#at = clock.monoMs()
  }

  hasOne(): boolean {
    const now = this.#clock.monoMs()
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + (now - this.#at) / this.#rate.everyMs)
    this.#at = now
    return this.#tokens >= 1
  }

  take(): boolean {
    if (!this.hasOne()) return false
    this.#tokens -= 1
    return true
  }
}
