import type { Accepted, NetworkReply, NetworkRequest } from '../network/network.ts'
import type { Backend } from './backend.ts'
import { ForwardedRequest, type Forwarding, type Outcome } from './forwarded-request.ts'

interface ClientSessionParts extends Forwarding {
  readonly backend: Backend
  /** It has ended, whichever end closed it. */
  readonly ended: (session: ClientSession) => void
}

/** A client's connection to a frontend. Each of its requests is balanced anew. */
export class ClientSession implements Accepted {
  readonly #parts: ClientSessionParts
  #close: () => void = () => undefined
  #callOffIdle: () => void = () => undefined
  #underWay: ForwardedRequest | undefined
  #isFirst = true
  #isOpen = true
  #isRetiring = false

  constructor(parts: ClientSessionParts) {
    this.#parts = parts
    this.#waitForRequest()
  }

  bind(close: () => void): void {
    this.#close = close
  }

  request(request: NetworkRequest, reply: (reply: NetworkReply) => void): void {
    this.#callOffIdle()
    const forwarded = new ForwardedRequest(this.#parts, {
      request,
      isFirst: this.#isFirst,
      done: (outcome) => this.#done(outcome, reply),
    })
    this.#isFirst = false
    this.#underWay = forwarded
    forwarded.start(this.#parts.backend)
  }

  /** Requests under way go on to their end, as without `option abortonclose`. */
  closed(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#callOffIdle()
    if (this.#underWay === undefined) this.#parts.ended(this)
  }

  /** Its process is about to end: the next answer is the last, and if no request is under way the connection ends now. */
  retire(): void {
    this.#isRetiring = true
    if (this.#underWay === undefined && this.#parts.config.idleCloseOnResponse !== true) this.end()
  }

  /** What is under way ends as if its server had broken it. */
  cut(): void {
    this.#underWay?.cut()
  }

  end(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#callOffIdle()
    this.#underWay?.abandon()
    this.#close()
    this.#parts.ended(this)
  }

  #done(outcome: Outcome, reply: (reply: NetworkReply) => void): void {
    this.#underWay = undefined
    if (!this.#isOpen) {
      this.#parts.ended(this)
    } else if (outcome === 'dropped') {
      this.end()
    } else if (this.#isRetiring) {
      reply({ ...outcome, closes: true })
      this.end()
    } else {
      reply(outcome)
      this.#waitForRequest()
    }
  }

  #waitForRequest(): void {
    const { timers, config } = this.#parts
    this.#callOffIdle = timers.later(config.clientTimeoutMs, () => this.end())
  }
}
