import type { Endpoint } from '../../ground/model/endpoint.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Random } from '../../ground/ports/random.ts'
import type { DnsOutcome, DnsQuestion } from '../model/dns.ts'
import type { DnsAsker, DnsCanary, DnsQuery } from '../ports/dns-asker.ts'
import { type QueryMessage, queryMessage } from './message.ts'
import { socketOutcome } from './socket-outcome.ts'
import { OWN_SOCKETS, type Sockets, type UdpSocket } from './sockets.ts'
import { askStream } from './tcp-query.ts'
import { askConnected, askUnconnected } from './udp-query.ts'

/** Asks by sockets, of this machine where no others are given. */
export class SocketAsker implements DnsAsker {
  readonly #clock: Clock
  readonly #random: Random
  readonly #sockets: Sockets

  constructor(clock: Clock, random: Random, sockets: Sockets = OWN_SOCKETS) {
    this.#clock = clock
    this.#random = random
    this.#sockets = sockets
  }

  async ask(
    { at, question, over, socket = 'connected', timeoutMs }: DnsQuery,
    signal: AbortSignal,
  ): Promise<DnsOutcome> {
    const asked = { at, message: this.#message(question), timeoutMs }
    if (over === 'tcp') return askStream({ ...asked, open: () => this.#sockets.tcp(at) }, this.#clock, signal)
    const ask = socket === 'connected' ? askConnected : askUnconnected
    let own: UdpSocket
    try {
      own = this.#sockets.udp(at)
    } catch (error) {
      return socketOutcome(error)
    }
    try {
      return await ask({ socket: own, clock: this.#clock }, asked, signal)
    } finally {
      own.close()
    }
  }

  /** With an unpredictable id (RFC 5452 9.2). */
  #message(question: DnsQuestion): QueryMessage {
    return queryMessage(question, Number.parseInt(this.#random.hex(2), 16))
  }

  canary(at: Endpoint): DnsCanary {
    let socket: UdpSocket | undefined
    return {
      ask: async (question, timeoutMs, signal) => {
        try {
          socket ??= this.#sockets.udp(at)
        } catch (error) {
          return socketOutcome(error)
        }
        return askConnected({ socket, clock: this.#clock }, { at, message: this.#message(question), timeoutMs }, signal)
      },
      close: () => socket?.close(),
    }
  }
}
