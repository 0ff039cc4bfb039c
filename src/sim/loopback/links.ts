import type { Socket } from 'node:net'

/** Ends the client's side at once where nothing is under way on it. False: something is. */
type TryEnd = () => boolean

/**
 * Both ends of a connection within this process, by its ports. A FIN waits for its turn of the event loop, while between
 * machines it takes microseconds, and data that is sent meanwhile is lost. So the client's side is closed directly, after the
 * data that it has already sent was read.
 */
export class Links {
  readonly #byPorts = new Map<string, TryEnd>()

  /** Until the socket is closed. */
  register(client: Socket, tryEnd: TryEnd): void {
    const key = `${client.localPort}>${client.remoteAddress}:${client.remotePort}`
    this.#byPorts.set(key, tryEnd)
    client.once('close', () => this.#byPorts.delete(key))
  }

  /** By the socket at the answering end; a client outside of this process always counts as idle. */
  tryEnd(served: Socket): boolean {
    const tryEnd = this.#byPorts.get(`${served.remotePort}>${served.localAddress}:${served.localPort}`)
    return tryEnd === undefined || tryEnd()
  }
}
