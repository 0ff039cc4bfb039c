import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { OpenConnections, TrackedTable } from '../ports/open-connections.ts'

/** Tables of thousands of connections are read at most this often, however many clients ask. */
const FRESH_MS = 250
/** A client that asks for the page waits for less than a second. */
const LIMIT_MS = 500

interface ConnectionCountParts {
  readonly sockets: OpenConnections
  readonly tracked: TrackedTable
  readonly clock: Clock
}

interface Reading {
  readonly at: number
  readonly count: Promise<number | undefined>
}

/**
 * How many connections are open at the data port, at most a quarter of a second ago. Sockets show whether something listens
 * there; rules of the network may still lead connections past it, which tracking shows.
 */
export class ConnectionCount {
  readonly #sockets: OpenConnections
  readonly #tracked: TrackedTable
  readonly #clock: Clock
  #last: Reading | undefined

  constructor({ sockets, tracked, clock }: ConnectionCountParts) {
    this.#sockets = sockets
    this.#tracked = tracked
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
    const [sockets, tracked] = await Promise.all([this.#sockets.count(signal), this.#tracked.count(signal)])
    // The listener may not be the process that the rules lead to: 0 is only certain once the table was read often enough to show
    // others.
    if (tracked === 'soon') return undefined
    return sockets === undefined ? tracked?.open : sockets + (tracked?.elsewhere ?? 0)
  }
}
