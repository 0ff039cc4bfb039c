import { type MonoMs, monoMs } from '../../../../ground/model/time.ts'
import type { WorldError } from '../../../../ground/model/world-error.ts'
import type { Clock } from '../../../../ground/ports/clock.ts'
import type { Random } from '../../../../ground/ports/random.ts'

interface Limits {
  readonly firstMs: number
  readonly maxMs: number
}

const PASSING: Limits = { firstMs: 500, maxMs: 10_000 }
/** A wrong key, host key or configuration: a person must repair it, and servers lock out clients that try too often. */
const LASTING: Limits = { firstMs: 5_000, maxMs: 30_000 }

/**
 * How long to wait before the next login at a machine that refuses logins. The limit doubles, and at least half of it is
 * waited, so that many instances behind one bastion do not come back together.
 */
export class LoginPause {
  readonly #clock: Clock
  readonly #random: Random
  #failures = 0
  #last: { readonly error: WorldError; readonly until: MonoMs } | undefined

  constructor(clock: Clock, random: Random) {
    this.#clock = clock
    this.#random = random
  }

  /** The error of the last login, while it is too early for another. */
  refusal(): WorldError | undefined {
    return this.#last !== undefined && this.#clock.monoMs() < this.#last.until ? this.#last.error : undefined
  }

  /** A login succeeded: the next failure counts as the first one. */
  worked(): void {
    this.#failures = 0
    this.#last = undefined
  }

  /** The first break of a connection that worked is no reason to wait. */
  broke(error: WorldError): void {
    if (this.#failures === 0) this.#failures = 1
    else this.failed(error)
  }

  failed(error: WorldError): void {
    const { firstMs, maxMs } = error.retry === 'never' ? LASTING : PASSING
    const limitMs = Math.min(maxMs, firstMs * 2 ** Math.min(this.#failures, 16))
    this.#failures += 1
    this.#last = { error, until: monoMs(this.#clock.monoMs() + limitMs * (0.5 + this.#random.next() / 2)) }
  }
}
