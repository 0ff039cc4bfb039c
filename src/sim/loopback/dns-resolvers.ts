import { createSocket } from 'node:dgram'
import { decode, encode } from 'dns-packet'
import { untilAborted } from '../../ground/model/until-aborted.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Random } from '../../ground/ports/random.ts'
import type { Timers } from '../../ground/ports/timers.ts'
import type { Destination } from '../network/network.ts'
import type { LoopbackNet } from './loopback-net.ts'

interface DnsResolversParts {
  readonly net: LoopbackNet
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  /** Of the Service. */
  readonly at: Destination
  readonly name: string
  /** The right answer. */
  readonly address: string
  readonly perSecond: number
}

/** What became of queries that were sent in some time. */
interface QueryTally {
  readonly sent: number
  /** No right answer came in time. */
  readonly lost: number
}

interface Query {
  readonly sentAtMs: number
  state: 'open' | 'answered' | 'lost'
  /** Resolves when it is answered or lost. */
  readonly settled: PromiseWithResolvers<void>
}

/** As long as the judge of the other demo waits; a resolver of glibc waits for 5 s. */
const LOST_AFTER_MS = 2_000
const TICK_MS = 10
const ID_BYTES = 2

/** Resolvers of a cluster: so many queries a second to its DNS Service over UDP, each from a port of its own, and none is asked twice. */
export class DnsResolvers {
  readonly #parts: DnsResolversParts
  readonly #queries: Query[] = []
  readonly #begunAtMs: number
  readonly #open = new Set<() => void>()
  #isStopped = false
  #callOff: () => void = () => undefined
  #longestMs = 0
  #tickedAtMs: number

  constructor(parts: DnsResolversParts) {
    this.#parts = parts
    this.#begunAtMs = parts.clock.monoMs()
    this.#tickedAtMs = this.#begunAtMs
    this.#tick()
  }

  /** The longest time for which this process got no turn of the processor. */
  get stalledMs(): number {
    return this.#longestMs
  }

  /** Of all queries that were sent from then on, and before `toMs`. */
  tally(fromMs = 0, toMs = Number.POSITIVE_INFINITY): QueryTally {
    const asked = this.#queries.filter(({ sentAtMs }) => sentAtMs >= fromMs && sentAtMs < toMs)
    return { sent: asked.length, lost: asked.filter(({ state }) => state === 'lost').length }
  }

  /** When the last query was sent that was lost; undefined: none was. */
  lastLostAtMs(): number | undefined {
    return this.#queries.findLast(({ state }) => state === 'lost')?.sentAtMs
  }

  /** Resolves when each query that was sent before `toMs` is answered or lost, 2 s after that at the latest. */
  async settled(signal: AbortSignal, toMs = Number.POSITIVE_INFINITY): Promise<void> {
    const open = this.#queries.filter(({ sentAtMs, state }) => sentAtMs < toMs && state === 'open')
    await untilAborted(Promise.all(open.map(({ settled }) => settled.promise)), signal)
  }

  /** Sends no more; resolves when each query is answered or lost. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#isStopped = true
    this.#callOff()
    await this.settled(signal)
  }

  end(): void {
    this.#isStopped = true
    this.#callOff()
    for (const close of [...this.#open]) close()
  }

  #tick(): void {
    const { clock, timers, perSecond } = this.#parts
    const now = clock.monoMs()
    this.#longestMs = Math.max(this.#longestMs, now - this.#tickedAtMs - TICK_MS)
    this.#tickedAtMs = now
    const due = ((now - this.#begunAtMs) / 1_000) * perSecond
    while (this.#queries.length < due) this.#ask(now)
    this.#callOff = timers.later(TICK_MS, () => {
      if (!this.#isStopped) this.#tick()
    })
  }

  #ask(sentAtMs: number): void {
    const { net, at, name, random, timers } = this.#parts
    const query: Query = { sentAtMs, state: 'open', settled: Promise.withResolvers() }
    this.#queries.push(query)
    const real = net.locate(at, 'udp')
    const socket = createSocket('udp4')
    const id = Number.parseInt(random.hex(ID_BYTES), 16)
    const close = (): void => {
      callOff()
      this.#open.delete(close)
      socket.close()
      query.settled.resolve()
    }
    const callOff = timers.later(LOST_AFTER_MS, () => {
      query.state = 'lost'
      close()
    })
    this.#open.add(close)
    // What a socket is refused is no answer either: it is lost once its time is over.
    socket.on('error', () => undefined)
    socket.on('message', (reply) => {
      if (!this.#isRight(reply, id)) return
      query.state = 'answered'
      close()
    })
    const questions = [{ name, type: 'A', class: 'IN' } as const]
    if (real !== undefined) socket.send(encode({ type: 'query', id, flags: 0x100, questions }), real.port, real.host)
  }

  #isRight(bytes: Buffer, id: number): boolean {
    try {
      const { id: answered, type, answers = [] } = decode(bytes)
      const isAnswer = answers.length === 1 && answers[0]?.type === 'A' && answers[0].data === this.#parts.address
      return answered === id && type === 'response' && isAnswer
    } catch {
      return false
    }
  }
}
