import type { Timers } from '../../ground/ports/timers.ts'

/** Runs at this time, unless it is cancelled before. */
export interface Limit {
  readonly atMs: number
  isOver: boolean
  readonly expired: () => void
}

/** Timers add in floating point: an event that is due a nanosecond later is due. */
const ROUNDING_MS = 1e-6

/**
 * The time limits of running checks. They are set nearly in the order in which they end, and hardly any is reached: one timer
 * for the first stands for all.
 */
export class CheckLimits {
  readonly #timers: Timers
  readonly #nowMs: () => number
  #limits: Limit[] = []
  #armedForMs = Number.POSITIVE_INFINITY
  #callOff: () => void = () => undefined

  constructor(timers: Timers, nowMs: () => number) {
    this.#timers = timers
    this.#nowMs = nowMs
  }

  set(limit: Limit): void {
    this.#limits.push(limit)
    if (limit.atMs < this.#armedForMs) this.#arm(limit.atMs)
  }

  /** None of them comes due any more. */
  end(): void {
    this.#callOff()
    this.#limits = []
    this.#armedForMs = Number.POSITIVE_INFINITY
  }

  #arm(atMs: number): void {
    this.#callOff()
    this.#armedForMs = atMs
    this.#callOff = this.#timers.later(atMs - this.#nowMs(), () => this.#look())
  }

  #look(): void {
    this.#armedForMs = Number.POSITIVE_INFINITY
    const dueMs = this.#nowMs() + ROUNDING_MS
    const open = this.#limits.filter(({ isOver }) => !isOver)
    this.#limits = open.filter(({ atMs }) => atMs > dueMs)
    for (const limit of open) if (limit.atMs <= dueMs && !limit.isOver) limit.expired()
    const firstMs = this.#limits.reduce((least, { atMs }) => Math.min(least, atMs), this.#armedForMs)
    if (firstMs < this.#armedForMs) this.#arm(firstMs)
  }
}
