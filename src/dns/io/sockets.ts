import { createSocket, type Socket } from 'node:dgram'
import { connect, isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Endpoint } from '../../ground/model/endpoint.ts'

export interface UdpListeners {
  readonly onMessage: (bytes: Buffer, from: Endpoint) => void
  readonly onError: (error: Error) => void
}

/** `done` hears what the system refused; where that is nothing, the call says so too. */
type Done = (error?: Error | null) => void

/** A UDP socket, of this machine or of another one. */
export interface UdpSocket {
  /** Hears messages and errors until what is returned is called. Without a listener they are dropped. */
  listen(listeners: UdpListeners): () => void
  connect(at: Endpoint, done: Done): void
  readonly isConnected: boolean
  /** Without `to` where the socket is connected. */
  send(bytes: Buffer, to: Endpoint | undefined, done: Done): void
  close(): void
}

/** Where queries leave from. */
export interface Sockets {
  /** For the family of this IP address. Throws what the system refuses: no descriptors are left, for one. */
  udp(at: Endpoint): UdpSocket
  /** A TCP connection, which need not be made yet: what is written waits for it. */
  tcp(at: Endpoint): Duplex
}

/** An address is taken as it is. Left to itself Node would look it up by a thread of its pool. */
const lookup = (address: string, _options: unknown, done: (...found: [null, string, number]) => void): void =>
  done(null, address, isIP(address))

/** Of this machine. */
export const OWN_SOCKETS: Sockets = {
  udp: ({ address }) =>
    new OwnUdpSocket(
      createSocket({ type: isIP(address) === 6 ? 'udp6' : 'udp4', lookup } as Parameters<typeof createSocket>[0]),
    ),
  tcp: ({ address, port }) => connect({ host: address, port, noDelay: true }),
}

class OwnUdpSocket implements UdpSocket {
  readonly #socket: Socket
  #isConnected = false

  constructor(socket: Socket) {
    // What comes between two queries, or after the answer, is of none.
    this.#socket = socket.on('error', () => undefined)
  }

  listen({ onMessage, onError }: UdpListeners): () => void {
    this.#socket.on('message', onMessage).on('error', onError)
    return () => this.#socket.off('message', onMessage).off('error', onError)
  }

  connect({ address, port }: Endpoint, done: Done): void {
    this.#socket.connect(port, address, ((error) => {
      this.#isConnected = !error
      done(error)
    }) as (error?: Error) => void)
  }

  get isConnected(): boolean {
    return this.#isConnected
  }

  send(bytes: Buffer, to: Endpoint | undefined, done: Done): void {
    if (to === undefined) this.#socket.send(bytes, done)
    else this.#socket.send(bytes, to.port, to.address, done)
  }

  close(): void {
    this.#socket.close()
  }
}
