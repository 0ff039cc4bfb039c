import type { Random } from '../../ground/ports/random.ts'
import type { Timers } from '../../ground/ports/timers.ts'

/** Machines of one site: a tenth of a millisecond and some jitter. */
const SHORTEST_MS = 0.1
const JITTER_MS = 0.3
/** TCP sends unconfirmed data again after 200 ms, then doubles the wait each time (RFC 6298, TCP_RTO_MIN of Linux). */
const FIRST_RESEND_MS = 200
const RESEND_SPREAD_MS = 1_400

/** How long things take on the way. */
export class Wire {
  readonly #timers: Timers
  readonly #random: Random

  constructor(timers: Timers, random: Random) {
    this.#timers = timers
    this.#random = random
  }

  /** One way. */
  pass(run: () => void): void {
    this.#timers.later(this.#latencyMs(), run)
  }

  /** There and back. */
  roundTrip(run: () => void): void {
    this.#timers.later(this.#latencyMs() + this.#latencyMs(), run)
  }

  /** Not within the call that asked for it, yet at the same moment. */
  atOnce(run: () => void): void {
    this.#timers.later(0, run)
  }

  resend(run: () => void): void {
    this.#timers.later(FIRST_RESEND_MS + this.#random.next() * RESEND_SPREAD_MS, run)
  }

  #latencyMs(): number {
    return SHORTEST_MS + this.#random.next() * JITTER_MS
  }
}
