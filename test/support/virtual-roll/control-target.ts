import type { Accepted, NetworkReply } from '../../../src/sim/network/network.ts'
import type { VirtualNetwork } from '../../../src/sim/network/virtual-network.ts'

/** `refused`: no process listens. `silent`: connections are taken and nothing is answered. `status`: 503. */
export type ControlState = 'well' | 'refused' | 'silent' | 'status'

const HOST = '10.99.0.1'
export const CONTROL_URL = `http://${HOST}/`

/** Something that a prober asks beside the service, and that no balancer is in front of. */
export class ControlTarget {
  state: ControlState
  readonly host = HOST

  constructor(network: VirtualNetwork, state: ControlState) {
    this.state = state
    network.addHost(HOST)
    network.listen({ host: HOST, port: 80 }, { accept: () => this.#accept() })
  }

  #accept(): Accepted | undefined {
    if (this.state === 'refused') return undefined
    return {
      bind: () => undefined,
      closed: () => undefined,
      request: (_request, reply) => this.#answer(reply),
    }
  }

  #answer(reply: (reply: NetworkReply) => void): void {
    if (this.state === 'silent') return
    reply(this.state === 'well' ? { status: 200, body: 'well' } : { status: 503, body: '', closes: true })
  }
}
