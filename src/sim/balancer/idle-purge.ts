import type { Timers } from '../../ground/ports/timers.ts'
import type { Server } from './server.ts'

/** `pool-purge-delay`, as it is where the file says nothing. */
const PURGE_EVERY_MS = 5_000

/** Closes pooled connections bit by bit: each time half of those that were not needed lately. */
export class IdlePurge {
  readonly #timers: Timers
  readonly #planned = new Map<Server, () => void>()
  readonly #needed = new Map<Server, number>()

  constructor(timers: Timers) {
    this.#timers = timers
  }

  /** To be told of each connection that goes into a server's pool. */
  watch(server: Server): void {
    if (this.#planned.has(server)) return
    this.#planned.set(
      server,
      this.#timers.later(PURGE_EVERY_MS, () => this.#purge(server)),
    )
  }

  stop(): void {
    for (const callOff of this.#planned.values()) callOff()
    this.#planned.clear()
  }

  #purge(server: Server): void {
    this.#planned.delete(server)
    const needed = this.#needed.get(server) ?? 0
    const { load } = server
    const excess = load.sessions.size + server.idle.size - Math.max(load.recentPeak, needed)
    server.idle.close(Math.ceil(Math.max(0, excess) / 2))
    this.#needed.set(server, Math.max(load.recentPeak, Math.floor((needed + load.recentPeak) / 2)))
    load.recentPeak = load.sessions.size
    if (server.idle.size > 0) this.watch(server)
  }
}
