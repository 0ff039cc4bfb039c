import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { connect } from 'node:net'
import type { Sockets, UdpListeners, UdpSocket } from '../../../src/dns/io/sockets.ts'
import type { Endpoint } from '../../../src/ground/model/endpoint.ts'
import type { LoopbackNet } from '../../../src/sim/loopback/loopback-net.ts'

/**
 * Sockets of this machine as those of a node of the embedded cluster: they leave from its address. Where pods and Services are ports
 * of 127.0.0.1, their addresses are looked up first, and everything leaves from there.
 */
export const loopbackSockets = (net: LoopbackNet, from?: string): Sockets => ({
  udp: () => new LoopbackUdpSocket(net, sourceOf(net, from)),
  tcp: ({ address, port }) => {
    const real = net.locate({ host: address, port })
    // Nothing listens on port 0: that is refused, as is what nothing listens on.
    return connect({ ...(real ?? { host: address, port: 0 }), noDelay: true, ...sourceOf(net, from) })
  },
})

const sourceOf = ({ hasAliases }: LoopbackNet, from: string | undefined) =>
  hasAliases && from !== undefined ? { localAddress: from } : {}

type Done = Parameters<UdpSocket['connect']>[1]

class LoopbackUdpSocket implements UdpSocket {
  readonly #net: LoopbackNet
  readonly #socket: Socket
  /** Whom it was sent to, by where that is. */
  readonly #known = new Map<string, Endpoint>()

  constructor(net: LoopbackNet, { localAddress }: { readonly localAddress?: string }) {
    this.#net = net
    // What comes between two queries, or after the answer, is of none.
    this.#socket = createSocket('udp4').on('error', () => undefined)
    if (localAddress !== undefined) this.#socket.bind({ address: localAddress, exclusive: true })
  }

  listen({ onMessage, onError }: UdpListeners): () => void {
    const hear = (bytes: Buffer, from: RemoteInfo): void =>
      onMessage(bytes, this.#known.get(`${from.address}:${from.port}`) ?? from)
    this.#socket.on('message', hear).on('error', onError)
    return () => this.#socket.off('message', hear).off('error', onError)
  }

  connect(at: Endpoint, done: Done): void {
    const { host, port } = this.#realOf(at)
    this.#socket.connect(port, host, done as () => void)
  }

  get isConnected(): boolean {
    try {
      this.#socket.remoteAddress()
      return true
    } catch {
      return false
    }
  }

  send(bytes: Buffer, to: Endpoint | undefined, done: Done): void {
    if (to === undefined) {
      this.#socket.send(bytes, done)
      return
    }
    const { host, port } = this.#realOf(to)
    this.#socket.send(bytes, port, host, done)
  }

  close(): void {
    this.#socket.close()
  }

  #realOf(at: Endpoint): { readonly host: string; readonly port: number } {
    const wanted = { host: at.address, port: at.port }
    const real = this.#net.locate(wanted, 'udp') ?? wanted
    this.#known.set(`${real.host}:${real.port}`, at)
    return real
  }
}
