import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import { WorldError } from '../../ground/model/world-error.ts'
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
  #trouble: string | undefined

  constructor(parts: DataPortWatchParts) {
    this.#parts = parts
  }

  /** This process has checked it often enough to know its state. */
  get isFound(): boolean {
    return this.#streak.found !== undefined
  }

  /** For people. */
  get trouble(): readonly string[] {
    return this.#trouble === undefined ? [] : [this.#trouble]
  }

  /** Rejects with the signal's reason. */
  async run(signal: AbortSignal): Promise<never> {
    const { everyMs, clock, onChange } = this.#parts
    for (;;) {
      const before = this.#streak.found
      const last = await this.#asked(signal)
      if (last !== undefined) this.#streak = dataPortAsked(this.#streak, last, this.#parts)
      const { found } = this.#streak
      if (found !== undefined && found !== before) onChange(found)
      await clock.sleep(everyMs, signal)
    }
  }

  /** Undefined: this machine can make no connection. Clients of other machines may be served all the same. */
  async #asked(signal: AbortSignal): Promise<'open' | 'closed' | undefined> {
    const { dataPort, at, limitMs, clock } = this.#parts
    const limit = { clock, limitMs, signal, what: `data port ${at.port}` }
    try {
      const isOpen = await withDeadline(limit, (limited) => dataPort.answers(at, limited))
      this.#trouble = undefined
      return isOpen ? 'open' : 'closed'
    } catch (error) {
      if (!(error instanceof DeadlineError || error instanceof WorldError)) throw error
      this.#trouble = error instanceof WorldError ? error.message : undefined
      return error instanceof WorldError ? undefined : 'closed'
    }
  }
}
