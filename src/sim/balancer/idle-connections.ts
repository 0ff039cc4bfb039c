import type { Connection } from '../network/network.ts'

/** Connections to one server that no session uses and any later request of a client may (`http-reuse safe`). */
export class IdleConnections {
  /** With whether they have carried more than the first request of a client. */
  readonly #connections = new Map<Connection, boolean>()
  #reused = 0
  readonly #changed: () => void

  /** `changed` is called with each change. */
  constructor(changed: () => void = () => undefined) {
    this.#changed = changed
  }

  get size(): number {
    return this.#connections.size
  }

  /** Those that were reused before: HAProxy counts the two kinds apart. */
  get reused(): number {
    return this.#reused
  }

  add(connection: Connection, { wasReused }: { readonly wasReused: boolean }): void {
    this.forget(connection)
    this.#connections.set(connection, wasReused)
    this.#changed()
    if (wasReused) this.#reused += 1
  }

  /** The connection that has waited longest. */
  take(): Connection | undefined {
    for (const connection of this.#connections.keys()) {
      this.forget(connection)
      if (connection.isOpen) return connection
    }
    return undefined
  }

  /** The other end closed it. */
  forget(connection: Connection): void {
    if (this.#connections.get(connection) === true) this.#reused -= 1
    if (this.#connections.delete(connection)) this.#changed()
  }

  /** Closes some, those first that have waited longest. */
  close(count: number): void {
    for (let left = count; left > 0; left -= 1) {
      const connection = this.take()
      if (connection === undefined) return
      connection.close()
    }
  }

  closeAll(): void {
    this.close(this.size)
  }
}
