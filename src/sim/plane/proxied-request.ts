import type { Timers } from '../../ground/ports/timers.ts'
import type { Destination, Network, NetworkReply, NetworkRequest } from '../network/network.ts'
import type { Upstream, UpstreamPool } from './upstream-pool.ts'

/**
 * What ingress-nginx does by default (internal/ingress/controller/config/config.go, NewDefault):
 * `proxy-next-upstream: error timeout`, `proxy-next-upstream-tries: 3`, `proxy-connect-timeout: 5`, `proxy-read-timeout: 60`.
 */
const TRIES = 3
const CONNECT_LIMIT_MS = 5_000
const READ_LIMIT_MS = 60_000

const failure = (status: number, words: string): NetworkReply => ({ status, body: `${status} ${words}\n` })
const UNAVAILABLE = failure(503, 'Service Temporarily Unavailable')
const BAD_GATEWAY = failure(502, 'Bad Gateway')
const TIMED_OUT = failure(504, 'Gateway Time-out')

interface ProxiedRequestParts {
  readonly timers: Timers
  readonly network: Pick<Network, 'dial'>
  readonly pool: UpstreamPool
  /** The endpoint whose turn it is; undefined where there is none. */
  readonly next: () => Destination | undefined
  readonly request: NetworkRequest
  readonly reply: (reply: NetworkReply) => void
}

/** One request on its way through an ingress. All that are sent here may be sent twice (GET): each is tried elsewhere. */
export class ProxiedRequest {
  readonly #parts: ProxiedRequestParts
  #triesLeft = TRIES
  /** Ends the try that is under way. */
  #giveUp: () => void = () => undefined

  constructor(parts: ProxiedRequestParts) {
    this.#parts = parts
  }

  begin(): void {
    this.#tryNext(UNAVAILABLE)
  }

  /** It is heard of no more. */
  cancel(): void {
    this.#giveUp()
  }

  /** `failed`: what is answered where no endpoint is left to try. */
  #tryNext(failed: NetworkReply): void {
    const { pool, next, reply } = this.#parts
    const to = this.#triesLeft === 0 ? undefined : next()
    if (to === undefined) {
      reply(failed)
      return
    }
    this.#triesLeft -= 1
    const idle = pool.take(to)
    if (idle === undefined) this.#dial(to)
    else this.#send(idle)
  }

  #dial(to: Destination): void {
    const { timers, network, pool } = this.#parts
    let isAwaited = true
    const callOff = timers.later(CONNECT_LIMIT_MS, () => {
      isAwaited = false
      this.#tryNext(TIMED_OUT)
    })
    this.#giveUp = () => {
      isAwaited = false
      callOff()
    }
    network.dial(to, (dialled) => {
      if (!isAwaited) {
        if (dialled.kind === 'open') dialled.connection.close()
        return
      }
      if (dialled.kind === 'silent') return
      this.#giveUp()
      if (dialled.kind === 'open') this.#send(pool.adopt(to, dialled.connection))
      else this.#tryNext(BAD_GATEWAY)
    })
  }

  #send(upstream: Upstream): void {
    const { timers, pool, request, reply } = this.#parts
    const { connection } = upstream
    const callOff = timers.later(READ_LIMIT_MS, () => {
      connection.close()
      this.#tryNext(TIMED_OUT)
    })
    this.#giveUp = () => {
      callOff()
      connection.close()
    }
    connection.send(request, (answer) => {
      callOff()
      if (answer === 'broken') {
        // Not its fault: nginx does not count a kept connection that was closed meanwhile (ngx_http_upstream_next).
        if (upstream.isReused) this.#triesLeft += 1
        this.#tryNext(BAD_GATEWAY)
        return
      }
      if (answer.closes === true) connection.close()
      else pool.rest(upstream)
      const { status, body } = answer
      reply({ status, body })
    })
  }
}
