import { type MonoMs, toIso } from '../../ground/model/time.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { RollEvent, StampedEvent } from '../model/roll-event.ts'
import type { Journal } from '../ports/journal.ts'

export type EventSink = (event: StampedEvent) => void

type Entry = Parameters<Journal['append']>[0]

/**
 * Which nodes are through, which pods were evicted, how hooks ended, what was sent to a machine, when the API was away and what stopped
 * the run is in the journal alone.
 */
const NEEDED: ReadonlySet<string> = new Set(['through', 'evicted', 'hook', 'host', 'api', 'verdict'])

/** What was done to a node counts until this. */
const isPutBack = ({ type, action, ok }: Entry): boolean => type === 'write' && action === 'removeRecord' && ok === true

/** Ticks come once a second, for the screen. What a killed process has measured is known to within this. */
const TICK_JOURNALED_EVERY_MS = 5000

/** The same warning is given at most this often. */
const WARNED_EVERY_MS = 10_000

/** What a journal lacks. */
export interface JournalGap {
  readonly entries: number
  /** When the first of them was refused, and why the last one. */
  readonly since: string
  readonly why: string
  /** Those that a later process cannot do without, and that the disk has not taken since. */
  readonly owed: readonly Entry[]
  /** The disk still refuses. */
  readonly isOpen: boolean
}

/** Numbers and stamps what happens, shows it, and keeps it in the journal. */
export class EventLog {
  readonly #journal: Journal
  readonly #clock: Clock
  readonly #sink: EventSink
  #seq: number
  #writable = true
  #isClosed = false
  #tickJournaledAt: MonoMs | undefined
  /** Node and text → when the warning was given last. */
  readonly #warnedAt = new Map<string, MonoMs>()
  /** What the disk refused and the next process cannot do without: it comes before all else once the disk takes it. */
  #owed: Entry[] = []
  #lost: Omit<JournalGap, 'owed' | 'isOpen'> | undefined
  /** Not yet handed to the journal: it takes all at once, which is one request where it is in the cluster. */
  #queued: Entry[] = []
  #tail: Promise<void> = Promise.resolve()

  constructor(parts: {
    readonly journal: Journal
    readonly clock: Clock
    readonly sink: EventSink
    readonly firstSeq: number
  }) {
    this.#journal = parts.journal
    this.#clock = parts.clock
    this.#sink = parts.sink
    this.#seq = parts.firstSeq
  }

  /** False from a failed append until one succeeds: then nothing disruptive is begun. */
  get writable(): boolean {
    return this.#writable
  }

  /** What the disk has refused since the process began; undefined where it took everything. */
  async gap(): Promise<JournalGap | undefined> {
    await this.#tail
    return this.#lost && { ...this.#lost, owed: this.#owed, isOpen: !this.#writable }
  }

  emit(event: RollEvent): void {
    if (this.#isClosed || (event.type === 'warning' && this.#wasSaid(event))) return
    const stamped: StampedEvent = { ...event, v: '1.0', seq: this.#seq++, at: toIso(this.#clock.wallMs()) }
    this.#sink(stamped)
    if (event.type === 'step.waits' || (event.type === 'load.tick' && !this.#tickIsDue())) return
    this.#enqueue({ ...stamped })
  }

  #wasSaid({ node = '', text }: Extract<RollEvent, { type: 'warning' }>): boolean {
    const now = this.#clock.monoMs()
    const saidAt = this.#warnedAt.get(`${node} ${text}`)
    if (saidAt !== undefined && now - saidAt < WARNED_EVERY_MS) return true
    this.#warnedAt.set(`${node} ${text}`, now)
    return false
  }

  #tickIsDue(): boolean {
    const now = this.#clock.monoMs()
    if (this.#tickJournaledAt !== undefined && now - this.#tickJournaledAt < TICK_JOURNALED_EVERY_MS) return false
    this.#tickJournaledAt = now
    return true
  }

  /** On disk before it returns true; false where the disk refuses. */
  meant(fields: Readonly<Record<string, unknown>>): Promise<boolean> {
    return this.kept('meant', fields)
  }

  /** The same for an entry of another type. */
  async kept(type: string, fields: Readonly<Record<string, unknown>>): Promise<boolean> {
    this.note(type, fields)
    await this.#tail
    return this.#writable
  }

  note(type: string, fields: Readonly<Record<string, unknown>>): void {
    this.#enqueue({ ...fields, type, at: toIso(this.#clock.wallMs()) })
  }

  async flushed(): Promise<void> {
    await this.#tail
  }

  /** Writes what is queued, and drops all events from now on: the journal is closed next. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#tail
  }

  #enqueue(entry: Entry): void {
    if (this.#isClosed) return
    this.#queued.push(entry)
    // The write that takes the first of them takes all.
    if (this.#queued.length === 1) this.#tail = this.#tail.then(() => this.#append())
  }

  /** All that is queued. The journal takes what is owed first, and where it refuses an entry, none of those behind it. */
  async #append(): Promise<void> {
    const queued = this.#queued.splice(0)
    const group = [...this.#owed, ...queued]
    const taken = await Promise.allSettled(group.map((entry) => this.#journal.append(entry)))
    const refusals = taken.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
    const [refusal] = refusals
    const bug = refusals.find((error) => !(error instanceof WorldError))
    if (bug !== undefined) throw bug
    const refused = group.filter((_, at) => taken[at]?.status === 'rejected')
    this.#owed = refused.filter((entry) => NEEDED.has(entry.type) || isPutBack(entry))
    if (refusal instanceof WorldError)
      this.#noteRefusal(refusal, refused.filter((entry) => queued.includes(entry)).length)
    this.#writable = refusal === undefined
  }

  #noteRefusal({ message: why }: WorldError, count: number): void {
    if (this.#writable) {
      const text = `the journal cannot be written: ${why}; nothing disruptive is started until it can be written`
      this.#sink({ type: 'warning', text, v: '1.0', seq: this.#seq++, at: toIso(this.#clock.wallMs()) })
    }
    const { entries = 0, since = toIso(this.#clock.wallMs()) } = this.#lost ?? {}
    this.#lost = { entries: entries + count, since, why }
  }
}
