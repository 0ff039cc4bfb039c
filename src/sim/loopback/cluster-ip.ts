import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Random } from '../../ground/ports/random.ts'
import type { Timers } from '../../ground/ports/timers.ts'
import type { Destination } from '../network/network.ts'
import type { LoopbackNet } from './loopback-net.ts'

export interface ClusterIpParts {
  readonly net: LoopbackNet
  readonly timers: Timers
  readonly random: Random
}

/** A port of a Service's address, as a forwarder of what clients send there. */
export interface ClusterIp {
  /** From now on, for clients that are not known yet. */
  setEndpoints(endpoints: readonly Destination[]): void
  end(): void
}

/** A UDP client that has been quiet for so long is forgotten. Connection tracking of Linux keeps it for 30 s. */
const QUIET_MS = 4_000
const ignore = (): void => undefined

interface UdpFlow {
  readonly to: Destination
  readonly socket: UdpSocket
  callOff: () => void
}

/**
 * Over UDP: an endpoint by chance for each address and port of a client, where all of its messages go (mode iptables of kube-proxy).
 * Clients of an endpoint that is gone are forgotten at once, as kube-proxy has the kernel do (`conntrack -D`). Without an endpoint
 * it is silent, where kube-proxy would refuse.
 */
export class UdpClusterIp implements ClusterIp {
  readonly #parts: ClusterIpParts
  readonly #server: UdpSocket
  readonly #flows = new Map<string, UdpFlow>()
  #endpoints: readonly Destination[] = []

  constructor(parts: ClusterIpParts, at: Destination) {
    this.#parts = parts
    this.#server = createSocket('udp4').on('message', (bytes, from) => this.#forward(bytes, from))
    parts.net.bindUdp(this.#server, at)
  }

  setEndpoints(endpoints: readonly Destination[]): void {
    this.#endpoints = endpoints
    for (const [key, { to }] of this.#flows) if (!endpoints.some((one) => isSame(one, to))) this.#forget(key)
  }

  end(): void {
    for (const key of [...this.#flows.keys()]) this.#forget(key)
    this.#server.close()
  }

  #forward(bytes: Buffer, from: RemoteInfo): void {
    const key = `${from.address}:${from.port}`
    const flow = this.#flows.get(key) ?? this.#open(key, from)
    const real = flow === undefined ? undefined : this.#parts.net.locate(flow.to, 'udp')
    if (flow === undefined || real === undefined) return
    flow.callOff()
    flow.callOff = this.#parts.timers.later(QUIET_MS, () => this.#forget(key))
    flow.socket.send(bytes, real.port, real.host, ignore)
  }

  #open(key: string, from: RemoteInfo): UdpFlow | undefined {
    const to = oneOf(this.#endpoints, this.#parts.random)
    if (to === undefined) return undefined
    const socket = createSocket('udp4').on('error', ignore)
    socket.on('message', (reply) => this.#server.send(reply, from.port, from.address, ignore))
    const flow = { to, socket, callOff: ignore }
    this.#flows.set(key, flow)
    return flow
  }

  #forget(key: string): void {
    const flow = this.#flows.get(key)
    if (flow === undefined) return
    this.#flows.delete(key)
    flow.callOff()
    flow.socket.close()
  }
}

/** Over TCP: an endpoint by chance for each connection. Where there is none it is reset, since the kernel has accepted it. */
export class TcpClusterIp implements ClusterIp {
  readonly #parts: ClusterIpParts
  readonly #server: Server
  readonly #clients = new Set<Socket>()
  #endpoints: readonly Destination[] = []

  constructor(parts: ClusterIpParts, at: Destination) {
    this.#parts = parts
    this.#server = createServer({ noDelay: true }, (client) => this.#accept(client))
    parts.net.bind(this.#server, at)
  }

  setEndpoints(endpoints: readonly Destination[]): void {
    this.#endpoints = endpoints
  }

  end(): void {
    this.#server.close()
    for (const client of this.#clients) client.destroy()
  }

  #accept(client: Socket): void {
    this.#clients.add(client)
    client.on('close', () => this.#clients.delete(client)).on('error', ignore)
    const to = oneOf(this.#endpoints, this.#parts.random)
    const real = to === undefined ? undefined : this.#parts.net.locate(to)
    if (real === undefined) {
      client.resetAndDestroy()
      return
    }
    const pod = connect({ ...real, noDelay: true })
    pod.on('error', () => client.resetAndDestroy()).on('close', () => client.destroy())
    client.on('close', () => pod.destroy())
    client.pipe(pod).pipe(client)
  }
}

const oneOf = (endpoints: readonly Destination[], random: Random): Destination | undefined =>
  endpoints[Math.floor(random.next() * endpoints.length)]

const isSame = (a: Destination, b: Destination): boolean => a.host === b.host && a.port === b.port
