import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { DataPort } from '../../ground/ports/data-port.ts'
import { type DataPortStreak, dataPortAsked, UNASKED } from '../decide/data-port.ts'

export interface DataPortWatchParts {
  readonly dataPort: DataPort
  readonly at: { readonly address: string; readonly port: number }
  readonly everyMs: number
  readonly limitMs: number
  readonly fall: number
  readonly rise: number
  readonly clock: Clock
  readonly onChange: (found: 'open' | 'closed') => void
}

/** Checks the node's own data port again and again, without the API server. */
export class DataPortWatch {
  readonly #parts: DataPortWatchParts
  #streak: DataPortStreak = UNASKED

  constructor(parts: DataPortWatchParts) {
    this.#parts = parts
  }

  /** This process has checked it often enough to know its state. */
  get isFound(): boolean {
    return this.#streak.found !== undefined
  }

  /** Rejects with the signal's reason. */
  async run(signal: AbortSignal): Promise<never> {
    const { everyMs, clock, onChange } = this.#parts
    for (;;) {
      const before = this.#streak.found
      const last = (await this.#answers(signal)) ? 'open' : 'closed'
      this.#streak = dataPortAsked(this.#streak, last, this.#parts)
      const { found } = this.#streak
      if (found !== undefined && found !== before) onChange(found)
      await clock.sleep(everyMs, signal)
    }
  }

  async #answers(signal: AbortSignal): Promise<boolean> {
    const { dataPort, at, limitMs, clock } = this.#parts
    const limit = { clock, limitMs, signal, what: `data port ${at.port}` }
    try {
      return await withDeadline(limit, (limited) => dataPort.answers(at, limited))
    } catch (error) {
      if (error instanceof DeadlineError) return false
      throw error
    }
  }
}
