import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { createServer, type Server, type Socket } from 'node:net'
import type { Timers } from '../../ground/ports/timers.ts'
import { outsideMessage } from '../dns/answer-message.ts'
import type { ClusterZone } from '../dns/cluster-zone.ts'
import { CoreDns } from '../dns/core-dns.ts'
import type { Destination } from '../network/network.ts'
import type { LoopbackNet } from './loopback-net.ts'

interface DnsServiceParts {
  readonly net: LoopbackNet
  readonly at: Destination
  readonly zone: ClusterZone
  readonly timers: Timers
}

/** Before each message over TCP (RFC 1035 4.2.2). */
const LENGTH_BYTES = 2

/** The DNS server in a pod, on real sockets: UDP and TCP on one port. */
export class DnsService {
  readonly #server: CoreDns
  readonly #udp: UdpSocket
  readonly #tcp: Server
  readonly #connections = new Set<Socket>()
  #isUdpDropped = false
  #isUpstreamCut = false
  #isOver = false

  constructor({ net, at, zone, timers }: DnsServiceParts) {
    const outside = (query: Buffer) => (this.#isUpstreamCut ? undefined : outsideMessage(query))
    this.#server = new CoreDns({ zone, timers, outside })
    this.#udp = createSocket('udp4')
    this.#udp.on('message', (query, { port, address }) => {
      if (this.#isUdpDropped) return
      this.#server.answer(query, (reply) => {
        if (reply !== undefined && !this.#isOver) this.#udp.send(reply, port, address, ignore)
      })
    })
    net.bindUdp(this.#udp, at)
    this.#tcp = createServer({ noDelay: true }, (socket) => this.#serve(socket))
    net.bind(this.#tcp, at)
  }

  /** As by a packet filter of the pod: what comes over UDP is not answered and not refused. TCP goes on. */
  dropUdp(): void {
    this.#isUdpDropped = true
  }

  /** The servers that it forwards to are silent from now on. It has no cache, so that each of their names is affected. */
  cutUpstream(): void {
    this.#isUpstreamCut = true
  }

  /** Its process has ended: nothing is open any more. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#server.end()
    this.#udp.close()
    this.#tcp.close()
    for (const socket of this.#connections) socket.destroy()
  }

  #serve(socket: Socket): void {
    this.#connections.add(socket)
    socket.on('close', () => this.#connections.delete(socket)).on('error', ignore)
    let received = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      for (let end = wholeIn(received); end !== undefined; end = wholeIn(received)) {
        const query = received.subarray(LENGTH_BYTES, end)
        received = received.subarray(end)
        this.#server.answer(query, (reply) => {
          if (reply === undefined) socket.destroy()
          else socket.write(framed(reply))
        })
      }
    })
  }
}

const ignore = (): void => undefined

/** Where the first message ends; undefined: not all of it is there. */
function wholeIn(received: Buffer): number | undefined {
  if (received.length < LENGTH_BYTES) return undefined
  const end = LENGTH_BYTES + received.readUInt16BE(0)
  return received.length < end ? undefined : end
}

function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}
