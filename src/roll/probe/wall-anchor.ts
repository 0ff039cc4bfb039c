import { type MonoMs, type WallMs, wallMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'

/** A wall clock set by this much is followed, less is the coarseness of its reading. */
const FOLLOWED_MS = 20

/** Stamps for a steady clock: evenly spaced, but they agree with the wall clock that other programs read. */
export class WallAnchor {
  readonly #clock: Clock
  #offsetMs: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#offsetMs = clock.wallMs() - clock.monoMs()
  }

  /** Follows the wall clock where it was set. */
  check(): void {
    const offsetMs = this.#clock.wallMs() - this.#clock.monoMs()
    if (Math.abs(offsetMs - this.#offsetMs) > FOLLOWED_MS) this.#offsetMs = offsetMs
  }

  /** To the microsecond, which is all that a double keeps of a date. */
  stamp(at: MonoMs): WallMs {
    return wallMs(Math.round((at + this.#offsetMs) * 1_000) / 1_000)
  }
}
