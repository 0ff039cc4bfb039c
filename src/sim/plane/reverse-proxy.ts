import type { Timers } from '../../ground/ports/timers.ts'
import type { Destination, Network, NetworkReply, NetworkRequest } from '../network/network.ts'
import { ProxiedRequest } from './proxied-request.ts'
import { UpstreamPool } from './upstream-pool.ts'

interface ReverseProxyParts {
  readonly timers: Timers
  /** As the pod that it runs in sees it. */
  readonly network: Pick<Network, 'dial'>
}

/** What an ingress does with requests: each goes to the next of its endpoints, over connections that it keeps. */
export class ReverseProxy {
  readonly #parts: ReverseProxyParts
  readonly #pool: UpstreamPool
  readonly #underWay = new Set<ProxiedRequest>()
  #endpoints: readonly Destination[] | undefined
  #turn = 0

  constructor(parts: ReverseProxyParts) {
    this.#parts = parts
    this.#pool = new UpstreamPool(parts.timers)
  }

  /** It knows its endpoints, even if there are none. */
  get knowsEndpoints(): boolean {
    return this.#endpoints !== undefined
  }

  /** Requests under way only use them for their next try. */
  setEndpoints(endpoints: readonly Destination[]): void {
    this.#endpoints = endpoints
  }

  forward(request: NetworkRequest, reply: (reply: NetworkReply) => void): void {
    const proxied = new ProxiedRequest({
      ...this.#parts,
      pool: this.#pool,
      next: () => this.#next(),
      request,
      reply: (answer) => {
        this.#underWay.delete(proxied)
        reply(answer)
      },
    })
    this.#underWay.add(proxied)
    proxied.begin()
  }

  /** Its process is no more: nothing is answered, nothing is kept. */
  end(): void {
    for (const proxied of this.#underWay) proxied.cancel()
    this.#underWay.clear()
    this.#pool.end()
  }

  /** ingress-nginx, `load-balance: round_robin`, also for a second try. */
  #next(): Destination | undefined {
    const endpoints = this.#endpoints ?? []
    this.#turn += 1
    return endpoints[this.#turn % endpoints.length]
  }
}
