import { present } from '../../ground/model/present.ts'
import type { ProbeTarget, Sample } from '../../ground/model/probe.ts'
import type { ProbeSignal } from '../../ground/model/probe-signal.ts'
import { type MonoMs, monoMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { HttpProbe, HttpVerdict } from '../../ground/ports/http-probe.ts'
import { CAUGHT_UP_MS, dueAtMs, isSkipped, type LaneSchedule, laneSchedules } from '../decide/availability/schedule.ts'
import { type Flight, Flights } from './flights.ts'
import { WallAnchor } from './wall-anchor.ts'

interface SamplerParts {
  readonly targets: readonly ProbeTarget[]
  readonly http: HttpProbe
  readonly clock: Clock
  readonly emit: (signal: ProbeSignal) => void
}

interface Cursor {
  readonly target: ProbeTarget
  readonly schedule: LaneSchedule
  n: number
}

const BATCH_EVERY_MS = 50
const SWEEP_EVERY_MS = 10
/** After a longer stop the sampler does not catch up: the schedule begins anew, and the time between was not measured. */
const NEW_START_AFTER_MS = 60_000
const LEAD_MS = 20
/** Timers count whole milliseconds: half of one early is as exact as half of one late. */
const EARLY_MS = 0.5

/**
 * Sends requests by an absolute schedule, whatever became of earlier ones (open loop). One loop: begin what is due, give up
 * what is overdue, report verdicts, sleep until the next of these.
 */
export class Sampler {
  readonly #parts: SamplerParts
  readonly #anchor: WallAnchor
  readonly #flights = new Flights()
  readonly #cursors: readonly Cursor[]
  #startAt: MonoMs
  #samples: Sample[] = []
  #batchAt: MonoMs
  #sweepAt: MonoMs
  /** How long the machine had slept in all when the schedule began. */
  #asleepMs: number
  #bug: unknown

  constructor(parts: SamplerParts) {
    this.#parts = parts
    this.#anchor = new WallAnchor(parts.clock)
    this.#cursors = parts.targets.flatMap((target, i) =>
      laneSchedules(target, i / parts.targets.length / 2).map((schedule) => ({ target, schedule, n: 0 })),
    )
    const now = parts.clock.monoMs()
    this.#startAt = now
    this.#batchAt = now
    this.#sweepAt = now
    this.#asleepMs = parts.clock.asleepMs()
  }

  /** Settles once aborted, after every verdict is reported. Rejects only for a bug. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts
    this.#begin(clock.monoMs())
    let meantAt = clock.monoMs()
    while (!signal.aborted || this.#flights.count > 0) {
      const now = clock.monoMs()
      if (!signal.aborted && clock.asleepMs() > this.#asleepMs) this.#begin(now)
      if (now - meantAt > CAUGHT_UP_MS) this.#flights.stalled(now - meantAt)
      if (!signal.aborted) this.#launch(now)
      this.#sweep(now)
      if (this.#bug !== undefined) throw this.#bug
      const restMs = this.#nextAt(signal.aborted) - clock.monoMs()
      meantAt = monoMs(clock.monoMs() + Math.max(0, restMs))
      await this.#rest(restMs, signal)
    }
    this.#tell(clock.monoMs())
  }

  /** While verdicts are missing after the end, nothing can cut a sleep short any more. */
  async #rest(ms: number, signal: AbortSignal): Promise<void> {
    const never = new AbortController().signal
    try {
      await this.#parts.clock.sleep(Math.max(0, ms), signal.aborted ? never : signal)
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  #begin(now: MonoMs): void {
    this.#anchor.check()
    this.#asleepMs = this.#parts.clock.asleepMs()
    this.#startAt = monoMs(now + LEAD_MS)
    for (const cursor of this.#cursors) cursor.n = 0
    this.#parts.emit({ type: 'started', at: this.#anchor.stamp(this.#startAt) })
  }

  #dueAt(cursor: Cursor): MonoMs {
    return monoMs(this.#startAt + dueAtMs(cursor.schedule, cursor.n))
  }

  #earliest(): Cursor | undefined {
    let first: Cursor | undefined
    for (const cursor of this.#cursors) {
      if (first === undefined || this.#dueAt(cursor) < this.#dueAt(first)) first = cursor
    }
    return first
  }

  #launch(tickAt: MonoMs): void {
    for (let cursor = this.#earliest(); cursor !== undefined; cursor = this.#earliest()) {
      const dueAt = this.#dueAt(cursor)
      if (dueAt > tickAt + EARLY_MS) return
      if (tickAt - dueAt > NEW_START_AFTER_MS) {
        this.#begin(tickAt)
        return
      }
      cursor.n += 1
      const now = this.#parts.clock.monoMs()
      if (isSkipped(cursor.schedule, now - dueAt)) this.#skip(cursor, dueAt, now)
      else this.#ask(cursor, dueAt, now)
    }
  }

  #skip({ target, schedule }: Cursor, dueAt: MonoMs, now: MonoMs): void {
    this.#samples.push({
      target: target.name,
      control: target.control,
      lane: schedule.lane,
      scheduledAt: this.#anchor.stamp(dueAt),
      startedLateMs: inMicros(now - dueAt),
      verdict: 'skipped',
      error: `the prober was ${Math.round(now - dueAt)} ms late`,
      latencyMs: 0,
    })
  }

  #ask({ target, schedule: { lane } }: Cursor, dueAt: MonoMs, now: MonoMs): void {
    const controller = new AbortController()
    const scheduledAt = this.#anchor.stamp(dueAt)
    const stalledBeforeMs = this.#flights.stalledMs
    const asleepBeforeMs = this.#asleepMs
    const flight: Flight = {
      target,
      lane,
      dueAt,
      scheduledAt,
      startedAt: now,
      stalledBeforeMs,
      asleepBeforeMs,
      controller,
    }
    this.#flights.add(flight)
    this.#parts.http.ask(target, lane, controller.signal).then(
      (verdict) => this.#land(flight, verdict),
      (error: unknown) => {
        this.#bug = error
      },
    )
  }

  #land(flight: Flight, verdict: HttpVerdict): void {
    const now = this.#parts.clock.monoMs()
    this.#flights.remove(flight)
    const { target, lane, scheduledAt } = flight
    // Without a stall it would have been given up: when this answer came is not known.
    const timedOut = verdict.failure === undefined && now - flight.startedAt > target.timeoutMs + CAUGHT_UP_MS
    // What a connection became while the machine slept says nothing of the target.
    const late = timedOut || this.#parts.clock.asleepMs() > flight.asleepBeforeMs
    const error = late ? 'the prober stood still while the answer was due' : verdict.error
    const judged = verdict.failure === undefined ? 'ok' : 'failed'
    this.#samples.push({
      target: target.name,
      control: target.control,
      lane,
      scheduledAt,
      startedLateMs: inMicros(flight.startedAt - flight.dueAt),
      verdict: late || verdict.proberFault === true ? 'skipped' : judged,
      ...present({ failure: verdict.failure, error }),
      latencyMs: inMicros(now - flight.dueAt),
      ...present({ servedBy: verdict.servedBy, retried: verdict.retried }),
    })
  }

  #sweep(now: MonoMs): void {
    if (now >= this.#sweepAt) {
      this.#flights.abortOverdue(now)
      this.#sweepAt = monoMs(now + SWEEP_EVERY_MS)
    }
    if (now >= this.#batchAt) this.#tell(now)
  }

  #tell(now: MonoMs): void {
    this.#anchor.check()
    const at = this.#anchor.stamp(now)
    this.#parts.emit({ type: 'batch', at, samples: this.#samples, settledBefore: this.#flights.earliest() ?? at })
    this.#samples = []
    this.#batchAt = monoMs(now + BATCH_EVERY_MS)
  }

  #nextAt(ending: boolean): MonoMs {
    const cursor = ending ? undefined : this.#earliest()
    const dueAt = cursor === undefined ? this.#batchAt : this.#dueAt(cursor)
    const sweepAt = this.#flights.count > 0 ? this.#sweepAt : this.#batchAt
    return monoMs(Math.min(dueAt, this.#batchAt, sweepAt))
  }
}

const inMicros = (ms: number): number => Math.round(ms * 1_000) / 1_000
