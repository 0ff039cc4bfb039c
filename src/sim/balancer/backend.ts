import type { BackendConfig } from './balancer-config.ts'
import { Server } from './server.ts'
import { ServerCheck } from './server-check.ts'

export class Backend {
  readonly id: number
  readonly name: string
  readonly servers: readonly Server[]
  readonly closesServers: boolean
  readonly #cookie: string | undefined
  readonly #turns = new Map<Server, number>()

  constructor(config: BackendConfig, { id, nowMs }: { readonly id: number; readonly nowMs: () => number }) {
    this.id = id
    this.name = config.name
    this.closesServers = config.closesServers === true
    this.#cookie = config.cookie
    this.servers = config.servers.map((server, at) => {
      const isChecked = config.check !== undefined && server.track === undefined
      const check = isChecked ? new ServerCheck(config.check) : undefined
      return new Server(server, { id: at + 1, check, nowMs })
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

  /** Round robin by weight over the servers that may be used; undefined where there is none. */
  next(): Server | undefined {
    const usable = this.servers.filter((server) => server.isUsable)
    let chosen: Server | undefined
    let most = 0
    let total = 0
    for (const server of usable) {
      const turn = (this.#turns.get(server) ?? 0) + server.weight
      this.#turns.set(server, turn)
      total += server.weight
      if (chosen === undefined || turn > most) {
        chosen = server
        most = turn
      }
    }
    if (chosen !== undefined) this.#turns.set(chosen, most - total)
    return chosen
  }
}
