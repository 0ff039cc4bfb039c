import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import type { NetworkRequest } from '../../../src/sim/network/network.ts'
import { type Heard, Line } from '../../../src/sim/traffic/line.ts'
import type { Front, Loss } from './checkers/loss-log.ts'

interface ReturningParts {
  readonly cluster: VirtualCluster
  readonly front: Front
  readonly path: string
  /** From one answer to the next request. */
  readonly pauseMs: number
  readonly limitMs: number
  readonly lost: (loss: Loss) => void
}

/**
 * A client that asks again and again, one request at a time, over a connection that it keeps, and with the cookie that it
 * was given: as a browser does, and no prober.
 */
export class ReturningClient {
  readonly #parts: ReturningParts
  readonly #line: Line
  #cookie: string | undefined
  #isStopped = false

  constructor(parts: ReturningParts) {
    this.#parts = parts
    const { cluster, front } = parts
    const instance = cluster.instances.find(({ name }) => name === front.instance)
    const port = instance?.balancer.state.config.frontends.find(({ backend }) => backend === front.backend)?.port
    if (instance === undefined || port === undefined) throw new Error(`${front.instance} has no ${front.backend}`)
    this.#line = new Line({ network: cluster.network, to: { host: instance.host, port }, isKept: true })
    this.#ask()
  }

  stop(): void {
    this.#isStopped = true
  }

  #ask(): void {
    if (this.#isStopped) return
    const { path, limitMs, pauseMs, cluster } = this.#parts
    const { time } = cluster
    const dueMs = time.monoMs()
    const request: NetworkRequest = { path, ...(this.#cookie === undefined ? {} : { cookie: this.#cookie }) }
    const landed = (heard: Heard | 'nothing'): void => {
      if (heard !== 'nothing' && heard.kind === 'reply') this.#cookie = heard.reply.setCookie ?? this.#cookie
      this.#judge(heard, dueMs)
      time.later(pauseMs, () => this.#ask())
    }
    const callOff = time.later(limitMs, () => {
      this.#line.giveUp()
      landed('nothing')
    })
    this.#line.ask(request, (heard) => {
      callOff()
      landed(heard)
    })
  }

  #judge(heard: Heard | 'nothing', dueMs: number): void {
    if (heard !== 'nothing' && heard.kind === 'reply' && heard.reply.status === 200) return
    const { front, path, lost, cluster } = this.#parts
    const isBroken = heard !== 'nothing' && heard.kind === 'broken'
    const what =
      heard === 'nothing' ? 'no answer' : heard.kind === 'reply' ? `status ${heard.reply.status}` : heard.kind
    lost({
      front,
      dueMs,
      endedMs: cluster.time.monoMs(),
      isAnswered: heard !== 'nothing' && heard.kind === 'reply',
      isStale: isBroken && heard.isReused,
      isReset: isBroken && !heard.isReused,
      text: `${what} to ${path} with ${this.#cookie ?? 'no cookie'}`,
    })
  }
}
