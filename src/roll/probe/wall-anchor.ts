import { type MonoMs, type WallMs, wallMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'

/** A wall clock that was set by this much is followed; a smaller difference is its resolution. */
const FOLLOWED_MS = 20

/** Times from a steady clock: evenly spaced, but close to the wall clock that other programs read. */
export class WallAnchor {
  readonly #clock: Clock
  #offsetMs: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#offsetMs = clock.wallMs() - clock.monoMs()
  }

  /** Follows the wall clock after it was set. */
  check(): void {
    const offsetMs = this.#clock.wallMs() - this.#clock.monoMs()
    if (Math.abs(offsetMs - this.#offsetMs) > FOLLOWED_MS) this.#offsetMs = offsetMs
  }

  /** Rounded to the microsecond, the precision that a double has for a date. */
  stamp(at: MonoMs): WallMs {
    return wallMs(Math.round((at + this.#offsetMs) * 1_000) / 1_000)
  }
}
