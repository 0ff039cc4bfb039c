import { setImmediate as macrotask } from 'node:timers/promises'
import { type MonoMs, monoMs, type WallMs, wallMs } from '../../src/ground/model/time.ts'
import type { Clock } from '../../src/ground/ports/clock.ts'

interface Timer {
  at: number
  readonly order: number
  readonly fire: () => void
}

/**
 * Time that passes only when told. Timers fire in order of their time, then of their setting; after each one all that
 * follows from it runs before the next, so that a run is the same every time.
 */
export class VirtualClock implements Clock {
  #nowMs = 0
  #wallOffsetMs: number
  #asleepMs = 0
  #order = 0
  #timers: Timer[] = []

  constructor(startWall = '2026-01-01T00:00:00.000Z') {
    this.#wallOffsetMs = Date.parse(startWall)
  }

  monoMs(): MonoMs {
    return monoMs(this.#nowMs)
  }

  wallMs(): WallMs {
    return wallMs(this.#wallOffsetMs + this.#nowMs)
  }

  asleepMs(): number {
    return this.#asleepMs
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const timer: Timer = { at: this.#nowMs + Math.max(0, ms), order: this.#order++, fire: () => settle(resolve) }
      const onAbort = () => settle(() => reject(signal.reason))
      const settle = (then: () => void): void => {
        this.#timers = this.#timers.filter((other) => other !== timer)
        signal.removeEventListener('abort', onAbort)
        then()
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#timers.push(timer)
    })
  }

  /** Lets `ms` pass; every timer due by then has fired and what follows from it has run. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms
    await macrotask()
    for (let timer = this.#due(untilMs); timer !== undefined; timer = this.#due(untilMs)) {
      this.#nowMs = Math.max(this.#nowMs, timer.at)
      timer.fire()
      await macrotask()
    }
    this.#nowMs = untilMs
  }

  /** The machine sleeps: monotonic time stands still, and what was due meanwhile is done when it wakes. */
  async suspend(ms: number): Promise<void> {
    this.#asleepMs += ms
    this.#wallOffsetMs += ms
    for (const timer of this.#timers) timer.at -= ms
    await this.advance(0)
  }

  /** The machine's clock is set, as by a person or NTP; monotonic time does not notice. */
  jumpWall(byMs: number): void {
    this.#wallOffsetMs += byMs
  }

  /** How many sleeps are under way: 0 says that nothing was left behind. */
  sleeping(): number {
    return this.#timers.length
  }

  #due(untilMs: number): Timer | undefined {
    return this.#timers
      .filter((timer) => timer.at <= untilMs)
      .reduce<Timer | undefined>(
        (first, timer) =>
          first === undefined || timer.at < first.at || (timer.at === first.at && timer.order < first.order)
            ? timer
            : first,
        undefined,
      )
  }
}
