import { Duplex } from 'node:stream'
import type { Sockets, UdpListeners, UdpSocket } from '../../../src/dns/io/sockets.ts'
import type { Endpoint } from '../../../src/ground/model/endpoint.ts'
import type { Place } from './dns-faults.ts'
import type { DnsNetwork, Heard } from './dns-network.ts'

interface Owner {
  readonly network: DnsNetwork
  readonly place: Place
  /** The process that has them is there no more. */
  readonly isDead: () => boolean
}

type Done = Parameters<UdpSocket['connect']>[1]

/** Before each message over TCP (RFC 1035 4.2.2). */
const LENGTH_BYTES = 2

/** Sockets of a process at that place of the virtual world. */
export const virtualSockets = (owner: Owner): Sockets => ({
  udp: () => new VirtualUdpSocket(owner),
  tcp: (at) => virtualStream(owner, at),
})

class VirtualUdpSocket implements UdpSocket {
  readonly #owner: Owner
  readonly #listeners = new Set<UdpListeners>()
  #peer: Endpoint | undefined

  constructor(owner: Owner) {
    this.#owner = owner
  }

  listen(listeners: UdpListeners): () => void {
    this.#listeners.add(listeners)
    return () => this.#listeners.delete(listeners)
  }

  connect(at: Endpoint, done: Done): void {
    if (isOutOfReach(this.#owner.place, at)) {
      done(errorOf('ENETUNREACH'))
      return
    }
    this.#peer = at
    done()
  }

  get isConnected(): boolean {
    return this.#peer !== undefined
  }

  send(bytes: Buffer, to: Endpoint | undefined, done: Done): void {
    const at = to ?? this.#peer
    const { network, place } = this.#owner
    if (at === undefined || isOutOfReach(place, at)) {
      done(errorOf('ENETUNREACH'))
      return
    }
    network.send(place, { to: at, over: 'udp', bytes, flow: this }, (heard) => this.#hear(heard))
    done()
  }

  close(): void {
    this.#listeners.clear()
  }

  /** A connected socket hears of a refusal, and nothing of what comes from elsewhere. */
  #hear(heard: Heard): void {
    const peer = this.#peer
    if (this.#owner.isDead()) return
    if (heard.kind === 'error') {
      if (peer !== undefined) for (const { onError } of this.#listeners) onError(errorOf(heard.code))
      return
    }
    const { bytes, from } = heard
    if (peer !== undefined && (from.address !== peer.address || from.port !== peer.port)) return
    for (const { onMessage } of this.#listeners) onMessage(bytes, from)
  }
}

function virtualStream({ network, place, isDead }: Owner, at: Endpoint): Duplex {
  let received = Buffer.alloc(0)
  const stream = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      received = Buffer.concat([received, chunk])
      const end = received.length < LENGTH_BYTES ? undefined : LENGTH_BYTES + received.readUInt16BE(0)
      if (end !== undefined && received.length >= end) {
        const bytes = received.subarray(LENGTH_BYTES, end)
        received = received.subarray(end)
        network.send(place, { to: at, over: 'tcp', bytes, flow: stream }, hear)
      }
      done()
    },
  })
  const hear = (heard: Heard): void => {
    if (isDead() || stream.destroyed) return
    if (heard.kind === 'error') {
      stream.destroy(errorOf(heard.code))
      return
    }
    const length = Buffer.alloc(LENGTH_BYTES)
    length.writeUInt16BE(heard.bytes.length)
    stream.push(Buffer.concat([length, heard.bytes]))
  }
  if (isOutOfReach(place, at)) stream.destroy(errorOf('ENETUNREACH'))
  return stream
}

/** Without an address of that family there is no route. */
const isOutOfReach = ({ lacksIpv6 }: Place, { address }: Endpoint): boolean =>
  lacksIpv6 === true && address.includes(':')

const errorOf = (code: string): Error => Object.assign(new Error(code), { code })
