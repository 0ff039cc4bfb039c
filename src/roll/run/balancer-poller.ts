import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import { present } from '../../ground/model/present.ts'
import { type MonoMs, monoMs } from '../../ground/model/time.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { InstanceSnapshot } from '../../service/decide/instance-snapshot.ts'
import { isBalancerNews } from '../../service/decide/is-balancer-news.ts'
import { keepIndexes } from '../../service/decide/keep-indexes.ts'
import type { InstanceReading, ServerRef } from '../../service/model/balancer.ts'
import type { BalancerSpec } from '../../service/model/balancer-spec.ts'
import type { BalancerReader } from '../../service/ports/balancer.ts'
import type { FailedPoll, TimedReading } from '../decide/availability/reload-spans.ts'
import { ServedServers } from './served-servers.ts'

/** Short enough that a reload is seen and answered within a second. */
const POLL_MS = 200
/**
 * All servers are read at this interval. Only this reading shows the servers of other nodes, and that another client has set a server to
 * `ready` while it is down. The roll answers that within a second, too.
 */
const WHOLE_EVERY_MS = 800
const POLL_LIMIT_MS = 2000

interface BalancerPollerParts {
  readonly balancer: BalancerReader
  readonly spec: BalancerSpec
  readonly instance: string
  readonly clock: Clock
  /** The servers that each poll asks for: those of the node under way. The others are asked for in a whole reading. */
  readonly own: (instance: InstanceSnapshot) => readonly ServerRef[]
  /** After every poll, answered or not. Awaited before the next one. `isNews`: it may change a decision. */
  readonly onPoll: (isNews: boolean, instance: string) => Promise<void>
  /** Every answer, at once and in order. */
  readonly onAnswer: (timed: TimedReading) => void
  /** Every poll that reached no process. */
  readonly onUnreached: (poll: FailedPoll) => void
}

/** Asks one instance again and again, and keeps what it said last. */
export class BalancerPoller {
  readonly #parts: BalancerPollerParts
  #reading: InstanceReading | undefined
  #silentSince: MonoMs | undefined
  #error: string | undefined
  /** When the poll began that was answered last, and the last one that read everything. */
  #answeredFor: MonoMs = monoMs(Number.NEGATIVE_INFINITY)
  #wholeFor: MonoMs = monoMs(Number.NEGATIVE_INFINITY)
  /** Of any poll since it was reported last. */
  #isNews = false
  #turn: Promise<void> = Promise.resolve()
  readonly #served = new ServedServers()

  constructor(parts: BalancerPollerParts) {
    this.#parts = parts
  }

  /** One for each instance of those that can be read. */
  static all(
    specs: readonly BalancerSpec[],
    balancers: readonly BalancerReader[],
    shared: Pick<BalancerPollerParts, 'clock' | 'own' | 'onPoll' | 'onAnswer' | 'onUnreached'>,
  ): readonly BalancerPoller[] {
    return specs.flatMap((spec) => {
      const balancer = balancers.find((candidate) => candidate.name === spec.name)
      if (balancer === undefined) return []
      return spec.instances.map((instance) => new BalancerPoller({ balancer, spec, instance, ...shared }))
    })
  }

  snapshot(): InstanceSnapshot {
    const { spec, instance, clock } = this.#parts
    const silentForMs = this.#silentSince === undefined ? 0 : Math.max(1, clock.monoMs() - this.#silentSince)
    return {
      balancer: spec.name,
      instance,
      backends: spec.backends,
      allowLastServer: spec.allowLastServer,
      silentForMs,
      ...(this.#reading === undefined ? {} : { reading: this.#reading, askedAt: this.#wholeFor }),
      ...present({ error: this.#error }),
    }
  }

  /** A poll that began at that time or later was answered: a reload before it has been seen. */
  hasAnsweredSince(at: MonoMs): boolean {
    return this.#answeredFor >= at
  }

  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      await this.#next(signal, 'partial')
      const isNews = this.#isNews
      this.#isNews = false
      await this.#parts.onPoll(isNews, this.#parts.instance)
      await this.#parts.clock.sleep(POLL_MS, signal)
    }
  }

  /** A poll that begins after this call: what it reads is newer than any command answered before. */
  poll(signal: AbortSignal): Promise<void> {
    return this.#next(signal, 'whole')
  }

  #next(signal: AbortSignal, kind: 'whole' | 'partial'): Promise<void> {
    const next = this.#turn.then(() => this.#ask(signal, kind))
    this.#turn = next.catch(() => undefined)
    return next
  }

  async #ask(signal: AbortSignal, kind: 'whole' | 'partial'): Promise<void> {
    const { balancer, instance, clock } = this.#parts
    const begunAt = clock.monoMs()
    const askedAt = clock.wallMs()
    const limitMs = balancer.answerLimitMs ?? POLL_LIMIT_MS
    const deadline = { clock, limitMs, signal, what: `${instance} of ${balancer.name}` }
    try {
      const isPartial =
        kind === 'partial' && this.#silentSince === undefined && begunAt - this.#wholeFor < WHOLE_EVERY_MS
      const partial = isPartial ? await withDeadline(deadline, (limited) => this.#readPartly(limited)) : undefined
      const answer =
        partial ?? (await withDeadline(deadline, (limited) => balancer.read(instance, limited, this.#own())))
      const reading = this.#served.marked(answer)
      this.#isNews ||= this.#silentSince !== undefined || isBalancerNews(this.#reading, reading)
      keepIndexes(this.#reading?.servers ?? reading.servers, reading.servers)
      this.#reading = reading
      this.#answeredFor = begunAt
      if (partial === undefined) this.#wholeFor = begunAt
      this.#silentSince = undefined
      this.#error = undefined
      this.#parts.onAnswer({ balancer: balancer.name, reading, askedAt, answeredAt: clock.wallMs() })
    } catch (error) {
      if (!(error instanceof WorldError || error instanceof DeadlineError)) throw error
      this.#isNews = true
      this.#silentSince ??= clock.monoMs()
      this.#error = error.message
      if (error instanceof WorldError && error.code === 'BALANCER_UNREACHABLE')
        this.#parts.onUnreached({ balancer: balancer.name, instance, at: clock.wallMs(), why: error.message })
    }
  }

  async #readPartly(signal: AbortSignal): Promise<InstanceReading | undefined> {
    const { balancer, instance } = this.#parts
    return balancer.readCounters?.(instance, this.#own(), signal)
  }

  #own(): readonly ServerRef[] {
    return this.#parts.own(this.snapshot())
  }
}
