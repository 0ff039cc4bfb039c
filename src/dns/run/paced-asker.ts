import type { Pacer } from '../../ground/loop/pacer.ts'
import type { Endpoint } from '../../ground/model/endpoint.ts'
import type { DnsOutcome } from '../model/dns.ts'
import type { DnsAsker, DnsCanary, DnsQuery } from '../ports/dns-asker.ts'

/**
 * From one place, where no other rate is given. Some clouds drop what is above 1,024 packets of DNS a second from one network
 * interface, and each query takes a new entry of connection tracking.
 */
export const QUERIES_PER_SECOND = 800

/** Asks in turns. What a query waits for its turn is part neither of its timeout nor of what its reply took. */
export class PacedAsker implements DnsAsker {
  readonly #asker: DnsAsker
  readonly #pacer: Pacer

  constructor(asker: DnsAsker, pacer: Pacer) {
    this.#asker = asker
    this.#pacer = pacer
  }

  async ask(query: DnsQuery, signal: AbortSignal): Promise<DnsOutcome> {
    await this.#pacer.turn(signal)
    return this.#asker.ask(query, signal)
  }

  canary(at: Endpoint): DnsCanary {
    const canary = this.#asker.canary(at)
    return {
      ask: async (question, timeoutMs, signal) => {
        await this.#pacer.turn(signal)
        return canary.ask(question, timeoutMs, signal)
      },
      close: () => canary.close(),
    }
  }
}
