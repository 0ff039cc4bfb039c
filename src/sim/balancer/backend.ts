import type { Timers } from '../../ground/ports/timers.ts'
import { AgentCheck } from './agent-check.ts'
import type { BackendConfig } from './balancer-config.ts'
import { RequestQueue } from './request-queue.ts'
import { Server } from './server.ts'
import { ServerCheck } from './server-check.ts'

interface BackendParts {
  readonly id: number
  readonly nowMs: () => number
  readonly timers: Timers
}

export class Backend {
  readonly id: number
  readonly name: string
  readonly servers: readonly Server[]
  readonly closesServers: boolean
  /** Requests that any of its servers may have, until one has room. */
  readonly queue = new RequestQueue<Server>(() => undefined)
  readonly #cookie: string | undefined
  readonly #turns = new Map<Server, number>()

  constructor(config: BackendConfig, { id, nowMs, timers }: BackendParts) {
    this.id = id
    this.name = config.name
    this.closesServers = config.closesServers === true
    this.#cookie = config.cookie
    this.servers = config.servers.map((server, at) => {
      const isChecked = config.check !== undefined && server.track === undefined && server.isUnchecked !== true
      const check = isChecked ? new ServerCheck(config.check) : undefined
      const agent = server.agent === undefined ? undefined : new AgentCheck(server.agent)
      const hasRoom = (free: Server): void => (free.load.maxConnections === 0 ? this.#give(free) : this.#feed(free))
      return new Server(server, { id: at + 1, check, agent, nowMs, timers, hasRoom })
    })
  }

  /**
   * The server that a client's cookie names, unless it is stopped: one in drain is still used (configuration.txt, `cookie`
   * and `option persist`).
   */
  known(cookie: string | undefined): Server | undefined {
    if (this.#cookie === undefined || cookie === undefined) return undefined
    const server = this.servers.find((one) => this.cookieOf(one) === cookie)
    return server?.oper === 'stopped' ? undefined : server
  }

  /** The cookie for a client that does not know the server yet. */
  cookieOf({ config: { cookie } }: Server): string | undefined {
    return this.#cookie === undefined || cookie === undefined ? undefined : `${this.#cookie}=${cookie}`
  }

  /**
   * Round robin by weight over the servers that may be used and have room. `full`: those that may be used have none. Where no
   * other server may be used, the first backup takes all (`fwrr_get_next_server`).
   */
  next(): Server | 'full' | undefined {
    if (!this.servers.some(isActive)) return this.#backup
    if (this.queue.size > 0) return 'full'
    let chosen: Server | undefined
    let most = 0
    let total = 0
    for (const server of this.servers) {
      if (!isActive(server) || server.isFull) continue
      const { effective } = server.weight
      const turn = (this.#turns.get(server) ?? 0) + effective
      this.#turns.set(server, turn)
      total += effective
      if (chosen === undefined || turn > most) {
        chosen = server
        most = turn
      }
    }
    if (chosen === undefined) return 'full'
    this.#turns.set(chosen, most - total)
    return chosen
  }

  /** A request leaves the place that it had on the server. */
  leave(server: Server): void {
    server.load.leavePlace()
    this.#feed(server)
  }

  get #backup(): Server | undefined {
    return this.servers.find((server) => server.isUsable && server.config.isBackup === true)
  }

  /** All that waits for any server goes to one without a limit. */
  #give(server: Server): void {
    while (this.queue.size > 0 && this.#takesAny(server)) this.#goFirst(this.queue, server)
  }

  /** Gives requests that wait to a server while it has places, those first that have waited longest (`process_srv_queue`). */
  #feed(server: Server): void {
    const { queue } = server.load
    while (server.load.taken < server.places && queue.size + this.queue.size > 0) {
      const isFirst = this.queue.firstTicket < queue.firstTicket
      const from = isFirst && this.#takesAny(server) ? this.queue : queue
      if (from.size === 0) return
      this.#goFirst(from, server)
    }
  }

  #goFirst(queue: RequestQueue<Server>, server: Server): void {
    server.load.takePlace()
    queue.takeFirst()?.go(server)
  }

  /** Not only requests that wait for this very server. */
  #takesAny(server: Server): boolean {
    if (!server.reference.isUsable) return false
    return server.config.isBackup !== true || (!this.servers.some(isActive) && this.#backup === server)
  }
}

const isActive = (server: Server): boolean => server.isUsable && server.config.isBackup !== true
