import { present } from '../../ground/model/present.ts'
import type { ProbeTarget, Sample } from '../../ground/model/probe.ts'
import { type MonoMs, monoMs, type WallMs, wallMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Timers } from '../../ground/ports/timers.ts'
import type { Network } from '../network/network.ts'
import type { Flight } from './flight.ts'
import { Flights } from './flights.ts'
import { dueAfterMs, type LaneCursor, laneCursors } from './lane-cursor.ts'
import type { Heard } from './line.ts'
import { Lines } from './lines.ts'
import { overdueVerdict, type RequestVerdict, verdictOf } from './request-verdict.ts'
import { targetAddress } from './target-address.ts'

interface OpenLoopParts {
  readonly target: ProbeTarget
  /** As the host sees it that the client runs on. */
  readonly network: Network
  readonly clock: Clock
  readonly timers: Timers
  /** Each sample as soon as its verdict is known. */
  readonly sink: (sample: Sample) => void
  /**
   * As the prober, and any client that sends a GET: a request whose kept connection is closed before its answer is sent once more, over a
   * new one. Absent: it is lost, as a POST is.
   */
  readonly repeats?: true
}

/** A timer adds a wait to the time of day in floating point: what is due a nanosecond later is due. */
const ROUNDING_MS = 1e-6

/** Sends requests to one target at a fixed rate on an absolute schedule, whatever became of earlier ones (open loop). */
export class OpenLoopClient {
  readonly #parts: OpenLoopParts
  readonly #request: { readonly path: string }
  readonly #lines: Lines
  readonly #cursors: readonly LaneCursor[]
  readonly #flights = new Flights()
  #startAt: MonoMs
  #stopTicking: (() => void) | undefined
  #isLimitArmed = false
  #onSettled: (() => void) | undefined

  constructor(parts: OpenLoopParts) {
    this.#parts = parts
    const { to, path } = targetAddress(parts.target)
    this.#request = { path }
    this.#lines = new Lines({ network: parts.network, to, kept: parts.target.keptConnections })
    this.#cursors = laneCursors(parts.target)
    this.#startAt = parts.clock.monoMs()
  }

  /** The schedule begins now, or anew. */
  start(): void {
    this.#stopTicking?.()
    this.#startAt = this.#parts.clock.monoMs()
    for (const cursor of this.#cursors) cursor.n = 0
    this.#tickAtNext()
  }

  /** Sends no more; `onSettled` is called once every missing verdict was reported. */
  stop(onSettled: () => void): void {
    this.#stopTicking?.()
    this.#stopTicking = undefined
    this.#onSettled = onSettled
    this.#settleWhenDone()
  }

  /** The time at which the earliest request without a verdict was due. */
  get owedSince(): WallMs | undefined {
    return this.#flights.first()?.scheduledAt
  }

  #dueAt(cursor: LaneCursor): MonoMs {
    return monoMs(this.#startAt + dueAfterMs(cursor))
  }

  #next(): LaneCursor | undefined {
    let next: LaneCursor | undefined
    for (const cursor of this.#cursors) {
      if (next === undefined || dueAfterMs(cursor) < dueAfterMs(next)) next = cursor
    }
    return next
  }

  #tickAtNext(): void {
    const next = this.#next()
    if (next === undefined) return
    const restMs = this.#dueAt(next) - this.#parts.clock.monoMs()
    this.#stopTicking = this.#parts.timers.later(restMs, () => this.#tick())
  }

  #tick(): void {
    const now = this.#parts.clock.monoMs()
    for (let due = this.#next(); due !== undefined && this.#dueAt(due) <= now + ROUNDING_MS; due = this.#next()) {
      this.#ask(due, now)
      due.n += 1
    }
    this.#tickAtNext()
  }

  #ask(cursor: LaneCursor, now: MonoMs): void {
    const { clock, target } = this.#parts
    const dueAt = this.#dueAt(cursor)
    const scheduledAt = wallMs(inMicros(clock.wallMs() + (dueAt - now)))
    const { lane } = cursor
    const line = this.#lines.free(lane)
    const flight: Flight = { lane, line, dueAt, startedAt: now, scheduledAt, isOver: false }
    this.#flights.add(flight)
    this.#armLimit()
    const landed = (heard: Heard): void => this.#land(flight, verdictOf(heard, target))
    line.ask(this.#request, (heard) => {
      if (this.#parts.repeats !== true || heard.kind !== 'broken' || !heard.isReused) return landed(heard)
      flight.retried = true
      line.ask(this.#request, landed)
    })
  }

  /** One timer for all: the first that began is the first to be overdue. */
  #armLimit(): void {
    const first = this.#flights.first()
    if (this.#isLimitArmed || first === undefined) return
    this.#isLimitArmed = true
    const restMs = first.startedAt + this.#parts.target.timeoutMs - this.#parts.clock.monoMs()
    this.#parts.timers.later(restMs, () => {
      this.#isLimitArmed = false
      this.#giveUpOverdue()
      this.#armLimit()
    })
  }

  #giveUpOverdue(): void {
    const { clock, target } = this.#parts
    const startedBy = clock.monoMs() - target.timeoutMs + ROUNDING_MS
    for (let flight = this.#flights.first(); flight !== undefined; flight = this.#flights.first()) {
      if (flight.startedAt > startedBy) return
      this.#land(flight, overdueVerdict(flight.line.giveUp(), target.timeoutMs))
    }
  }

  #land(flight: Flight, verdict: RequestVerdict): void {
    const { target, clock, sink } = this.#parts
    flight.isOver = true
    sink({
      target: target.name,
      control: target.control,
      lane: flight.lane,
      scheduledAt: flight.scheduledAt,
      startedLateMs: inMicros(flight.startedAt - flight.dueAt),
      verdict: verdict.failure === undefined ? 'ok' : 'failed',
      latencyMs: inMicros(clock.monoMs() - flight.dueAt),
      ...verdict,
      ...present({ retried: flight.retried }),
    })
    this.#settleWhenDone()
  }

  #settleWhenDone(): void {
    if (this.#onSettled === undefined || this.#flights.first() !== undefined) return
    const tell = this.#onSettled
    this.#onSettled = undefined
    tell()
  }
}

const inMicros = (ms: number): number => Math.round(ms * 1_000) / 1_000
