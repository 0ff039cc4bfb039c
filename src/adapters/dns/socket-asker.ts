import type { Socket } from 'node:dgram'
import type { DnsOutcome, DnsQuestion } from '../../model/dns.ts'
import type { Endpoint } from '../../model/endpoint.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DnsAsker, DnsCanary, DnsQuery } from '../../ports/dns-asker.ts'
import type { Random } from '../../ports/random.ts'
import { type QueryMessage, queryMessage } from './message.ts'
import { socketOutcome } from './socket-outcome.ts'
import { askTcp } from './tcp-query.ts'
import { askConnected, askUnconnected, udpSocket } from './udp-query.ts'

/** Asks from this process by real sockets. */
export class SocketAsker implements DnsAsker {
  readonly #clock: Clock
  readonly #random: Random

  constructor(clock: Clock, random: Random) {
    this.#clock = clock
    this.#random = random
  }

  async ask(
    { at, question, over, socket = 'connected', timeoutMs }: DnsQuery,
    signal: AbortSignal,
  ): Promise<DnsOutcome> {
    const asked = { at, message: this.#message(question), timeoutMs }
    if (over === 'tcp') return askTcp(asked, this.#clock, signal)
    const ask = socket === 'connected' ? askConnected : askUnconnected
    return withSocket(at, (own) => ask({ socket: own, clock: this.#clock }, asked, signal))
  }

  /** With an unpredictable id (RFC 5452 9.2). */
  #message(question: DnsQuestion): QueryMessage {
    return queryMessage(question, Number.parseInt(this.#random.hex(2), 16))
  }

  canary(at: Endpoint): DnsCanary {
    let socket: Socket | undefined
    return {
      ask: async (question, timeoutMs, signal) => {
        try {
          // What comes between two queries is of none.
          socket ??= udpSocket(at).on('error', () => undefined)
        } catch (error) {
          return socketOutcome(error)
        }
        return askConnected({ socket, clock: this.#clock }, { at, message: this.#message(question), timeoutMs }, signal)
      },
      close: () => socket?.close(),
    }
  }
}

async function withSocket(at: Endpoint, ask: (socket: Socket) => Promise<DnsOutcome>): Promise<DnsOutcome> {
  let socket: Socket
  try {
    socket = udpSocket(at)
  } catch (error) {
    return socketOutcome(error)
  }
  try {
    return await ask(socket)
  } finally {
    // An error that comes after the answer is of no query.
    socket.on('error', () => undefined).close()
  }
}
