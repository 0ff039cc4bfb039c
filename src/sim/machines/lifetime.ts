import type { Timers } from '../../ground/ports/timers.ts'

/** Timers that end together: once what they belonged to is over, none of them runs and none is taken on. */
export class Lifetime implements Timers {
  readonly #timers: Timers
  readonly #pending = new Set<() => void>()
  #isOver = false

  constructor(timers: Timers) {
    this.#timers = timers
  }

  get isOver(): boolean {
    return this.#isOver
  }

  later(ms: number, run: () => void): () => void {
    if (this.#isOver) return () => undefined
    const callOff = this.#timers.later(ms, () => {
      this.#pending.delete(callOff)
      run()
    })
    this.#pending.add(callOff)
    return () => {
      this.#pending.delete(callOff)
      callOff()
    }
  }

  end(): void {
    this.#isOver = true
    for (const callOff of this.#pending) callOff()
    this.#pending.clear()
  }
}
