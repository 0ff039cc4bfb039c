import type { DnsOutcome, DnsQuestion } from '../../../model/dns.ts'
import type { Endpoint } from '../../../model/endpoint.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { DataPort } from '../../../ports/data-port.ts'
import type { DnsAsker, DnsCanary, DnsQuery } from '../../../ports/dns-asker.ts'
import type { Random } from '../../../ports/random.ts'
import { DeadlineError, withDeadline } from '../../../runtime/deadline.ts'
import { SocketAsker } from '../socket-asker.ts'
import type { RelayedSockets } from './relayed-sockets.ts'

interface Parts {
  readonly sockets: RelayedSockets
  readonly clock: Clock
  readonly random: Random
}

/**
 * Asks by the sockets of a relay, as SocketAsker asks by those of this machine. Silence counts where the relay itself answers at
 * once: what was lost on the way to the relay is `notAsked`. Times of replies hold the way to the relay as well.
 */
export class RelayedAsker implements DnsAsker, DataPort {
  readonly #parts: Parts
  readonly #asker: SocketAsker

  constructor(parts: Parts) {
    this.#parts = parts
    this.#asker = new SocketAsker(parts.clock, parts.random, parts.sockets)
  }

  async ask(query: DnsQuery, signal: AbortSignal): Promise<DnsOutcome> {
    return this.#unlessLate(await this.#asker.ask(query, signal), query.timeoutMs, signal)
  }

  canary(at: Endpoint): DnsCanary {
    const canary = this.#asker.canary(at)
    return {
      ask: async (question: DnsQuestion, timeoutMs, signal) =>
        this.#unlessLate(await canary.ask(question, timeoutMs, signal), timeoutMs, signal),
      close: () => canary.close(),
    }
  }

  /** Whether something listens there over TCP, as seen from the relay. */
  answers(at: Endpoint, signal: AbortSignal): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    if (signal.aborted) return Promise.reject(signal.reason)
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    const connection = this.#parts.sockets.tcp(at)
    connection.once('connect', () => resolve(true))
    connection.on('error', () => resolve(false))
    connection.once('close', () => resolve(false))
    return promise.finally(() => {
      signal.removeEventListener('abort', onAbort)
      connection.destroy()
    })
  }

  async #unlessLate(outcome: DnsOutcome, timeoutMs: number, signal: AbortSignal): Promise<DnsOutcome> {
    if (outcome.kind !== 'timeout' && outcome.kind !== 'mismatch') return outcome
    const { clock, sockets } = this.#parts
    // A way to the relay that takes half of a query's time would pass off its own delay as silence.
    const limit = { clock, limitMs: timeoutMs / 2, signal, what: 'the relay' }
    try {
      await withDeadline(limit, (limited) => sockets.answers(limited))
      return outcome
    } catch (error) {
      signal.throwIfAborted()
      return { kind: 'notAsked', text: error instanceof DeadlineError ? error.message : String(error) }
    }
  }
}
