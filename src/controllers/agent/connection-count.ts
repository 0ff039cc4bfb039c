import type { Clock } from '../../ports/clock.ts'
import type { OpenConnections } from '../../ports/open-connections.ts'
import { DeadlineError, withDeadline } from '../../runtime/deadline.ts'

/** However many ask, tables of thousands of connections are read no more often. */
const FRESH_MS = 250
/** Whoever asks for the page waits for less than a second. */
const LIMIT_MS = 500

interface Reading {
  readonly at: number
  readonly count: Promise<number | undefined>
}

/** How many connections are open at the data port, as of the moment it is asked or a quarter of a second before. */
export class ConnectionCount {
  readonly #tables: readonly OpenConnections[]
  readonly #clock: Clock
  #last: Reading | undefined

  /** The first of them that tells is believed. */
  constructor(tables: readonly OpenConnections[], clock: Clock) {
    this.#tables = tables
    this.#clock = clock
  }

  /** Undefined where it is not known, or not in time. */
  now(): Promise<number | undefined> {
    const at = this.#clock.monoMs()
    if (this.#last === undefined || at - this.#last.at > FRESH_MS) this.#last = { at, count: this.#read() }
    return this.#last.count
  }

  async #read(): Promise<number | undefined> {
    const limit = { clock: this.#clock, limitMs: LIMIT_MS, signal: new AbortController().signal, what: 'the table' }
    try {
      return await withDeadline(limit, (signal) => this.#count(signal))
    } catch (error) {
      if (error instanceof DeadlineError) return undefined
      throw error
    }
  }

  async #count(signal: AbortSignal): Promise<number | undefined> {
    for (const table of this.#tables) {
      const count = await table.count(signal)
      if (count !== undefined) return count
    }
    return undefined
  }
}
