import { invariant } from '../../../ground/model/invariant.ts'
import { present } from '../../../ground/model/present.ts'
import type { FailureWindow, ProbeStatus, ProbeTarget, Sample } from '../../../ground/model/probe.ts'
import type { ProbeSignal } from '../../../ground/model/probe-signal.ts'
import type { WallMs } from '../../../ground/model/time.ts'
import type { LatencyLimit } from '../../model/stop-spec.ts'
import type { Span } from './downtime.ts'
import { Excuses } from './excuses.ts'
import { Histogram } from './histogram.ts'
import { LaneTally } from './lane-tally.ts'
import { LaneWindows } from './lane-windows.ts'
import { NotMeasured } from './not-measured.ts'
import { OncePerSecond } from './once-per-second.ts'
import { laneSchedules } from './schedule.ts'
import { ServedBy } from './served-by.ts'
import { Settling } from './settling.ts'
import { SlowTally } from './slow-seconds.ts'

interface LaneBook {
  readonly control: boolean
  readonly tally: LaneTally
  readonly windows: LaneWindows
  /** The lane that is compared with a check once a second: new connections where there are any. */
  readonly oncePerSecond?: OncePerSecond
}

/** The part of the status that only a signal changes. */
type Counted = Omit<ProbeStatus, 'notMeasured'>

const keyOf = (sample: Pick<Sample, 'target' | 'lane'>): string => `${sample.lane} ${sample.target}`

/**
 * Makes the status of a probe from its samples.
 *
 * Law: the order in which verdicts come changes no window.
 */
export class ProbeLedger {
  readonly #lanes = new Map<string, LaneBook>()
  readonly #settling = new Settling()
  readonly #servedBy = new ServedBy()
  readonly #notMeasured: NotMeasured
  readonly #excuses: Excuses
  readonly #slow: readonly SlowTally[]
  #startedAt: WallMs
  #hasStarted = false
  #settledBefore: WallMs
  #lastVerdictAt: WallMs | undefined
  #greenStreak = 0
  #endedAt: WallMs | undefined
  #status: Counted | undefined
  #windows: readonly FailureWindow[] | undefined

  constructor(targets: readonly ProbeTarget[], createdAt: WallMs, latency: readonly LatencyLimit[] = []) {
    this.#startedAt = createdAt
    this.#settledBefore = createdAt
    this.#notMeasured = new NotMeasured(createdAt)
    this.#excuses = new Excuses(targets)
    this.#slow = latency.map((limit) => new SlowTally(limit))
    for (const target of targets) this.#open(target)
  }

  apply(signal: ProbeSignal): void {
    this.#status = undefined
    this.#windows = undefined
    if (signal.type === 'started') {
      if (!this.#hasStarted) this.#startedAt = signal.at
      this.#notMeasured.started(signal.at, !this.#hasStarted)
      this.#hasStarted = true
      this.#settledBefore = signal.at
    } else if (signal.type === 'died') {
      this.#settle(this.#settling.release())
      this.#notMeasured.down(this.#settledBefore)
    } else {
      for (const sample of signal.samples) this.#count(sample)
      this.#settle(this.#settling.add(signal.samples, signal.settledBefore))
      this.#excuses.settled(signal.settledBefore)
      this.#settledBefore = signal.settledBefore
      this.#notMeasured.beat(signal.at)
    }
  }

  /** A control that is green in this span, past or future, excuses failures after it. */
  baseline(span: Span): void {
    this.#status = undefined
    this.#windows = undefined
    this.#excuses.baseline(span)
  }

  /** The prober was stopped, and no more verdicts come. */
  end(at: WallMs): void {
    this.#status = undefined
    this.#windows = undefined
    this.#settle(this.#settling.release())
    this.#excuses.release()
    this.#endedAt = at
  }

  /** Called several times between two batches. */
  status(now: WallMs): ProbeStatus {
    this.#status ??= this.#sum()
    const notMeasured = this.#notMeasured.spans(this.#endedAt ?? now, this.#endedAt !== undefined)
    return { ...this.#status, notMeasured }
  }

  #sum(): Counted {
    const redControls = this.#excuses.red()
    return {
      startedAt: this.#startedAt,
      ...present({ lastVerdictAt: this.#lastVerdictAt }),
      settledBefore: this.#settledBefore,
      lanes: [...this.#lanes.values()].map((lane) => lane.tally.summary()),
      windows: this.windows(),
      greenStreak: this.#settling.waiting.some(countsAgainst) ? 0 : this.#greenStreak,
      ...(redControls.length === 0 ? {} : { redControls }),
      ...(this.#slow.length === 0 ? {} : { slow: this.#slow.map((tally) => tally.counted()) }),
    }
  }

  windows(): readonly FailureWindow[] {
    this.#windows ??= this.#seen()
    return this.#windows
  }

  /** How often each server answered, by its name. */
  servedBy(): Readonly<Record<string, number>> {
    return this.#servedBy.counts()
  }

  /** The latency of all good answers except those of controls. */
  latency(): Histogram {
    const all = new Histogram()
    for (const lane of this.#lanes.values()) if (!lane.control) all.merge(lane.tally.latency)
    return all
  }

  /** How many failures a check once a second would have counted, over all targets except controls. */
  failedAt1Hz(): number {
    return [...this.#lanes.values()].reduce((sum, lane) => sum + (lane.oncePerSecond?.failed ?? 0), 0)
  }

  #seen(): readonly FailureWindow[] {
    const { waiting } = this.#settling
    const waitingOf = waiting.length === 0 ? undefined : Map.groupBy(waiting, keyOf)
    const windows = [...this.#lanes].flatMap(([key, lane]) =>
      this.#endedAt === undefined
        ? lane.windows.seen(waitingOf?.get(key) ?? [], (sample) => !lane.control && this.#excuses.mayExcuse(sample))
        : lane.windows.ended(),
    )
    return windows.sort((a, b) => a.firstBadAt - b.firstBadAt)
  }

  #open(target: ProbeTarget): void {
    laneSchedules(target, 0).forEach(({ lane, periodMs }, index) => {
      this.#lanes.set(keyOf({ target: target.name, lane }), {
        control: target.control,
        tally: new LaneTally(target, lane),
        windows: new LaneWindows(periodMs),
        ...(target.control || index > 0 ? {} : { oncePerSecond: new OncePerSecond(periodMs) }),
      })
    })
  }

  #lane(sample: Sample): LaneBook {
    const lane = this.#lanes.get(keyOf(sample))
    invariant(lane !== undefined, `a sample of a lane that was not asked for: ${keyOf(sample)}`)
    return lane
  }

  /** Counts what does not depend on the order of samples. */
  #count(sample: Sample): void {
    this.#lane(sample).tally.record(sample)
    if (sample.verdict === 'skipped') return
    if (this.#lastVerdictAt === undefined || sample.scheduledAt > this.#lastVerdictAt) {
      this.#lastVerdictAt = sample.scheduledAt
    }
    if (!sample.control && sample.servedBy !== undefined) this.#servedBy.record(sample.servedBy)
  }

  /** Counts what depends on their order. */
  #settle(samples: readonly Sample[]): void {
    for (const sample of samples) {
      const lane = this.#lane(sample)
      const window = lane.windows.record(sample)
      lane.oncePerSecond?.record(sample)
      if (sample.control) {
        this.#excuses.heard(sample)
        continue
      }
      this.#notMeasured.record(sample)
      for (const tally of this.#slow) tally.record(sample)
      if (sample.verdict === 'failed') {
        this.#greenStreak = 0
        this.#excuses.failed(sample, window)
      }
      if (sample.verdict === 'ok') this.#greenStreak += 1
    }
  }
}

const countsAgainst = (sample: Sample): boolean => !sample.control && sample.verdict === 'failed'
