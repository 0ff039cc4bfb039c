import type { DnsChecks } from '../../dns/run/check-dns.ts'
import { withDeadline } from '../../ground/loop/deadline.ts'
import { Wakeup } from '../../ground/loop/wakeup.ts'
import { present } from '../../ground/model/present.ts'
import { UserError } from '../../ground/model/user-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import { dnsNotices } from '../decide/dns/dns-notices.ts'
import type { DnsReadings } from '../decide/dns/dns-readings.ts'
import type { DnsWant } from '../decide/dns/dns-wanted.ts'
import type { DnsSpec } from '../model/roll-spec.ts'

export type RollDnsChecks = Pick<DnsChecks, 'next' | 'close'>

type Last = NonNullable<DnsReadings['last']>
type Found = Last extends infer Each ? (Each extends Last ? Omit<Each, 'begunAt' | 'endedAt' | 'from'> : never) : never

interface DnsWatchParts {
  readonly checks: RollDnsChecks
  readonly spec: DnsSpec | undefined
  readonly clock: Clock
  /** More is known. It must only take note. */
  readonly onNews: () => void
  /** What people are to know and that holds nothing up: a sentence. */
  readonly say: (text: string) => void
}

/** From the end of a check to the next one, while a pass waits for its result. */
const EVERY_MS = 5_000
/** Relays that are made with an image that has to be pulled, and two rounds. */
const CHECK_LIMIT_MS = 75_000
/** Relays end by themselves where this is not enough. */
const CLOSE_LIMIT_MS = 6_000

const NOT_WANTED = new Error('another check is wanted')
const keyOf = (want: DnsWant): string => `${want.for} ${want.nodes.join(' ')}`

/** It is asked for a node that is back and still waits, beside others by now. */
const isOfUse = (asked: DnsWant | undefined, want: DnsWant): boolean =>
  asked?.for === 'back' && want.for === 'back' && asked.nodes.some((node) => want.nodes.includes(node))

/** Checks DNS beside the passes, while a pass waits for what a check tells. Nothing that goes wrong with a check ends the roll. */
export class DnsWatch {
  readonly #parts: DnsWatchParts
  readonly #wakeup: Wakeup
  readonly #said = new Set<string>()
  #want: DnsWant | undefined
  #asked: DnsWant | undefined
  #last: DnsReadings['last']
  #seen: DnsReadings['seen']
  #askingSince: DnsReadings['askingSince']
  #cancel: AbortController | undefined
  #isClosed = false
  /** Checks share their relays: one at a time, however late one ends that was given up. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(parts: DnsWatchParts) {
    this.#parts = parts
    this.#wakeup = new Wakeup(parts.clock)
  }

  readings(): DnsReadings {
    return {
      ...present({ last: this.#last, seen: this.#seen, askingSince: this.#askingSince }),
    }
  }

  /** After each pass: what it waits for. A check for something else is given up. */
  want(want: DnsWant | undefined): void {
    if (this.#isClosed) return
    const isNew = want !== undefined && !this.#isAsked(want)
    const wasWanted = this.#want !== undefined
    this.#want = want
    if (isNew && !isOfUse(this.#asked, want)) this.#cancel?.abort(NOT_WANTED)
    if (isNew || (want !== undefined && !wasWanted)) this.#wakeup.wake()
  }

  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      const want = this.#want
      const dueInMs = want && this.#dueInMs(want)
      if (want === undefined || dueInMs !== 0) await this.#wakeup.next(dueInMs, signal)
      else await this.#ask(want, signal)
    }
  }

  /** Takes relays away. What could not be taken away is said. Nothing is asked afterwards. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#want = undefined
    this.#cancel?.abort(NOT_WANTED)
    await this.#within(() => this.#turn)
    const left = await this.#within(() => this.#parts.checks.close())
    for (const text of left ?? ['relays were not deleted: they end by themselves within a minute'])
      this.#parts.say(text)
  }

  /** Undefined where it took too long, or failed. */
  async #within<T>(work: () => Promise<T>): Promise<T | undefined> {
    const { signal } = new AbortController()
    const limit = { clock: this.#parts.clock, limitMs: CLOSE_LIMIT_MS, signal, what: 'the check of DNS' }
    try {
      return await withDeadline(limit, work)
    } catch (error) {
      if (error instanceof Error) return undefined
      throw error
    }
  }

  #isAsked(want: DnsWant): boolean {
    return this.#asked !== undefined && keyOf(want) === keyOf(this.#asked)
  }

  #dueInMs(want: DnsWant): number {
    if (this.#last === undefined || !this.#isAsked(want)) return 0
    return Math.max(0, this.#last.endedAt + EVERY_MS - this.#parts.clock.monoMs())
  }

  async #ask(want: DnsWant, signal: AbortSignal): Promise<void> {
    const { clock, onNews } = this.#parts
    const begunAt = clock.monoMs()
    const cancel = new AbortController()
    this.#cancel = cancel
    this.#asked = want
    this.#askingSince = begunAt
    try {
      const found = await this.#found(want, AbortSignal.any([signal, cancel.signal]))
      this.#last = { ...found, begunAt, endedAt: clock.monoMs(), from: want.from }
      if (this.#last.kind === 'seen') this.#seen = this.#last
      this.#tell(this.#last)
    } catch (error) {
      if (signal.aborted || error !== NOT_WANTED) throw error
    } finally {
      this.#cancel = undefined
      this.#askingSince = undefined
    }
    onNews()
  }

  /** Rejects by abort alone. A fault of the checker is reported like any other: a node that is out must not stay so for it. */
  async #found({ from }: DnsWant, signal: AbortSignal): Promise<Found> {
    const { checks, clock } = this.#parts
    const limit = { clock, limitMs: CHECK_LIMIT_MS, signal, what: 'the check of DNS' }
    try {
      const { findings, scene, isZoneAssumed } = await withDeadline(limit, async (limited) => {
        await this.#turn
        limited.throwIfAborted()
        const check = checks.next({ from }, limited)
        this.#turn = check.catch(() => undefined)
        return check
      })
      return { kind: 'seen', findings, scene, isZoneAssumed: isZoneAssumed === true }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof Error)) throw error
      return { kind: 'unknown', ...(this.#lacksDns(error) ? {} : { why: error.message }) }
    }
  }

  /** A cluster where nothing looks like DNS, such as the embedded one, lacks nothing that the file names. */
  #lacksDns(error: Error): boolean {
    return error instanceof UserError && error.code === 'dns.no-service' && this.#parts.spec?.service === undefined
  }

  #tell(last: Last): void {
    for (const text of dnsNotices(last, this.#parts.spec?.image !== undefined)) {
      if (this.#said.has(text)) continue
      this.#said.add(text)
      this.#parts.say(text)
    }
  }
}
