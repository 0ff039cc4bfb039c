import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { AgentFile, AgentStore } from '../ports/agent-store.ts'

/** A small file takes milliseconds. */
const LIMIT_MS = 2_000

type Place = 'tmpfs' | 'disk'
const PLACES: Readonly<Record<AgentFile, Place>> = {
  memory: 'tmpfs',
  ingress: 'tmpfs',
  kept: 'disk',
  owed: 'disk',
  override: 'disk',
}

/**
 * A store whose calls settle in time. A call that hangs cannot be ended, and each uses one of few threads: while there is one,
 * every other call to that disk fails at once.
 */
export class TimelyStore {
  readonly #store: AgentStore
  readonly #clock: Clock
  readonly #hanging = new Set<Place>()

  constructor(store: AgentStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** Rejects with WorldError STORE_FAILED, or with the signal's reason. */
  read(file: AgentFile, signal: AbortSignal): Promise<string | undefined> {
    return this.#inTime(file, () => this.#store.read(file), signal)
  }

  /** Like `read`. A write that was given up may still happen. */
  write(file: Exclude<AgentFile, 'override'>, text: string | undefined, signal: AbortSignal): Promise<void> {
    return this.#inTime(file, () => this.#store.write(file, text), signal)
  }

  async #inTime<T>(file: AgentFile, call: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const place = PLACES[file]
    if (this.#hanging.has(place)) throw hangs(file)
    const settled = call()
    const limit = { clock: this.#clock, limitMs: LIMIT_MS, signal, what: file }
    try {
      return await withDeadline(limit, () => settled)
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error
      this.#hanging.add(place)
      const over = (): void => void this.#hanging.delete(place)
      settled.then(over, over)
      throw hangs(file)
    }
  }
}

const hangs = (file: AgentFile): WorldError =>
  new WorldError(`${file}: the ${PLACES[file]} does not answer`, { code: 'STORE_FAILED', retry: 'backoff' })
