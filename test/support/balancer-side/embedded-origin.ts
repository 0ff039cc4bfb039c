import type { Accepted, Listener, Network, NetworkReply, NetworkRequest } from '../../../src/sim/network/network.ts'
import type { DoorOrigin } from '../../contract/balancer/balancer-door.ts'

interface Held {
  readonly reply: (reply: NetworkReply) => void
  readonly close: () => void
}

/** A server behind an embedded balancer, in a virtual network. */
export class EmbeddedOrigin implements DoorOrigin, Listener {
  readonly #end: () => void
  readonly #closes = new Set<() => void>()
  #health: number | 'hang' | 'break' = 200
  #held: Held[] = []
  #requests = 0

  constructor(network: Network, at: { readonly host: string; readonly port: number }) {
    this.#end = network.listen(at, this)
  }

  /** Requests that came, but for checks. */
  get requests(): number {
    return this.#requests
  }

  get waiting(): number {
    return this.#held.length
  }

  sayHealth(health: number | 'hang' | 'break'): void {
    this.#health = health
  }

  release(): void {
    for (const { reply } of this.#held.splice(0)) reply({ status: 200, body: 'at last' })
  }

  cut(): void {
    for (const { close } of this.#held.splice(0)) close()
  }

  stop(): Promise<void> {
    this.#end()
    for (const close of this.#closes) close()
    return Promise.resolve()
  }

  readonly accept = (): Accepted => {
    let close = (): void => undefined
    return {
      bind: (end) => {
        close = end
        this.#closes.add(close)
      },
      request: ({ path }: NetworkRequest, reply) => {
        if (path === '/readyz') {
          this.#answerCheck(reply, close)
          return
        }
        this.#requests += 1
        if (path === '/hold') this.#held.push({ reply, close })
        else {
          reply({ status: 200, body: 'ok', closes: path === '/last' })
          if (path === '/last') close()
        }
      },
      closed: () => void this.#closes.delete(close),
    }
  }

  #answerCheck(reply: (reply: NetworkReply) => void, close: () => void): void {
    if (this.#health === 'break') close()
    else if (this.#health !== 'hang') reply({ status: this.#health, body: '' })
  }
}
