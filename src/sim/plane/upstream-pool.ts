import type { Timers } from '../../ground/ports/timers.ts'
import type { Connection, Destination } from '../network/network.ts'

/** `upstream-keepalive-timeout` of ingress-nginx. */
const IDLE_LIMIT_MS = 60_000

/** A connection to an endpoint. */
export interface Upstream {
  readonly key: string
  readonly connection: Connection
  /** It was idle before: whatever its other end did meanwhile is on its way. */
  readonly isReused: boolean
}

/** Connections to endpoints that wait for the next request, the latest first (ngx_http_upstream_keepalive_module). */
export class UpstreamPool {
  readonly #timers: Timers
  readonly #idle = new Map<Connection, { readonly key: string; readonly callOff: () => void }>()
  readonly #byKey = new Map<string, Connection[]>()

  constructor(timers: Timers) {
    this.#timers = timers
  }

  /** The connection leaves the pool: no other request can take it. */
  take({ host, port }: Destination): Upstream | undefined {
    const key = `${host}:${port}`
    const connection = this.#byKey.get(key)?.at(-1)
    if (connection === undefined) return undefined
    this.#leave(connection)
    return { key, connection, isReused: true }
  }

  /** For a connection that was opened just now, and is in use. */
  adopt({ host, port }: Destination, connection: Connection): Upstream {
    connection.onClosed(() => this.#leave(connection))
    return { key: `${host}:${port}`, connection, isReused: false }
  }

  rest({ key, connection }: Upstream): void {
    if (!connection.isOpen) return
    const callOff = this.#timers.later(IDLE_LIMIT_MS, () => {
      this.#leave(connection)
      connection.close()
    })
    this.#idle.set(connection, { key, callOff })
    const others = this.#byKey.get(key)
    if (others === undefined) this.#byKey.set(key, [connection])
    else others.push(connection)
  }

  end(): void {
    for (const connection of [...this.#idle.keys()]) {
      this.#leave(connection)
      connection.close()
    }
  }

  #leave(connection: Connection): void {
    const idle = this.#idle.get(connection)
    if (idle === undefined) return
    idle.callOff()
    this.#idle.delete(connection)
    const left = (this.#byKey.get(idle.key) ?? []).filter((other) => other !== connection)
    if (left.length === 0) this.#byKey.delete(idle.key)
    else this.#byKey.set(idle.key, left)
  }
}
