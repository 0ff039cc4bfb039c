import { within } from '../../../ground/kube/within.ts'
import type { Endpoint } from '../../../ground/model/endpoint.ts'
import { WorldError } from '../../../ground/model/world-error.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { Random } from '../../../ground/ports/random.ts'
import type { DnsOutcome, DnsQuestion } from '../../model/dns.ts'
import type { DnsAsker, DnsCanary, DnsQuery } from '../../ports/dns-asker.ts'
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
export class RelayedAsker implements DnsAsker {
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

  async #unlessLate(outcome: DnsOutcome, timeoutMs: number, signal: AbortSignal): Promise<DnsOutcome> {
    if (outcome.kind !== 'timeout' && outcome.kind !== 'mismatch') return outcome
    const { clock, sockets } = this.#parts
    // A way to the relay that takes half of a query's time would pass off its own delay as silence.
    const ms = timeoutMs / 2
    const late = () =>
      new WorldError(`the relay did not answer within ${ms} ms`, { code: 'DNS_RELAY', retry: 'backoff' })
    try {
      await within({ clock, ms, signal, late }, (limited) => sockets.answers(limited))
      return outcome
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof WorldError)) throw error
      return { kind: 'notAsked', text: error.message }
    }
  }
}
