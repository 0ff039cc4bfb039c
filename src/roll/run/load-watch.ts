import type { FailureWindow, LaneSummary, ProbeStatus } from '../../ground/model/probe.ts'
import { type MonoMs, type WallMs, wallMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import { type Attribution, attribute, type StepSpan } from '../decide/availability/attribution.ts'
import { lengthMs, union } from '../decide/availability/downtime.ts'
import { lanePeriodMs } from '../decide/availability/lane-period.ts'
import { countedFailedOf, excusedOf, isExcused } from '../decide/availability/not-counted.ts'
import { RetriedShare } from '../decide/availability/retried-share.ts'
import { judgedFailed } from '../decide/awaits-control.ts'
import type { ReloadSpan } from '../model/reload-span.ts'
import type { LoadTick, RollEvent } from '../model/roll-event.ts'
import type { RollSpec } from '../model/roll-spec.ts'
import { isUsedUp, type StopUse } from '../model/stop-use.ts'
import type { Probe } from '../ports/probe.ts'
import type { LoadBefore } from './load-before.ts'
import { WindowNotices } from './window-notices.ts'

interface LoadWatchParts {
  readonly probe: Probe
  readonly spec: NonNullable<RollSpec['probe']>
  readonly clock: Clock
  readonly steps: () => readonly StepSpan[]
  readonly reloads: () => readonly ReloadSpan[]
  /** Every balancer instance was read since then. */
  readonly answeredSince: (at: MonoMs) => boolean
  readonly strays: () => number
  /** How much of the file's stop rules is used up. `isLast`: no more samples of controls will come. Absent: the file has none. */
  readonly uses?: (isLast: boolean) => readonly StopUse[]
  readonly emit: (event: RollEvent) => void
  /** Of a resumed run. A node may be out already, so every sample counts, also those of its baseline. */
  readonly before?: LoadBefore
}

const TICK_MS = 1000
/** How long a window is held back at most, until its cause is known. */
const LOOK_LIMIT_MS = 1000
/** Longer than any control takes to answer, whatever its time-out. */
const TROUBLED_FOR_MS = 120_000

/** Reports each failure window when it opens and when it closes, with its causes, and ticks once a second. */
export class LoadWatch {
  readonly #parts: LoadWatchParts
  readonly #notices = new WindowNotices()
  readonly #retried = new RetriedShare()
  #measuredSince: WallMs | undefined
  /** Requests in the baseline of a run that has changed nothing yet. */
  #uncounted: Totals = NONE
  #baselineP99Ms = 0
  /** By latency limit, the highest share so far. */
  readonly #slowest = new Map<string, number>()

  constructor(parts: LoadWatchParts) {
    this.#parts = parts
    if (parts.before !== undefined) this.#measuredSince = wallMs(0)
  }

  /**
   * A control that was green in the baseline excuses failures from here on; people must know about every other control that it
   * does not.
   */
  baselineEnded(at: WallMs): void {
    const { probe, spec, before, emit } = this.#parts
    probe.baseline(wallMs(at - spec.baselineMs), at)
    const status = probe.status()
    this.#baselineP99Ms = worstP99Ms(status)
    if (before === undefined) {
      this.#measuredSince = at
      this.#uncounted = totals(status)
    }
    emit({ type: 'baseline.ended', sent: status.greenStreak, p99Ms: this.#baselineP99Ms })
    for (const control of status.redControls ?? []) {
      emit({ type: 'warning', text: `${control} failed in the baseline, so it excuses no failed request` })
    }
  }

  /**
   * Called when the probe knows more, and after each poll of a balancer. A request often fails before the reload is seen that
   * caused it, so a window is reported once every instance was read after it, or a second later.
   */
  changed(): void {
    this.#tell((noticedAt) => {
      const { clock, answeredSince } = this.#parts
      return answeredSince(noticedAt) || clock.monoMs() - noticedAt >= LOOK_LIMIT_MS
    })
  }

  /** Requests failed recently, or too many are slow: what is known of them changes from batch to batch, and matters. */
  isTroubled(): boolean {
    const since = this.#parts.clock.wallMs() - TROUBLED_FOR_MS
    const failed = this.#parts.probe.windows().some((window) => (window.firstOkAt ?? since) >= since)
    return failed || this.#uses(false).some(isUsedUp)
  }

  /** Whether a window is held back. */
  hasUnreported(): boolean {
    return this.#notices.hasUnreported()
  }

  /** No more is going to be known: reports the windows that were held back. */
  finish(): void {
    this.#tell(() => true)
  }

  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      await this.#parts.clock.sleep(TICK_MS, signal)
      this.changed()
      this.#tellRetried()
      this.tellTotals()
    }
  }

  /** Once a second, and at the end of a node: its requests and failures are counted up to then. */
  tellTotals(): void {
    this.#parts.emit({ type: 'load.tick', load: this.tick() })
  }

  /** `isLast`: no more samples of controls will come, so failures that could still be excused count. */
  tick(isLast = false): LoadTick {
    const { before = NONE } = this.#parts
    const status = this.#parts.probe.status()
    const now = totals(status)
    const windows = this.#windows()
    const excused = excusedOf(windows)
    const undecided = isLast ? 0 : this.#undecided(windows)
    const stop = this.#uses(isLast)
    const retried = (before.retried ?? 0) + now.retried - this.#uncounted.retried
    const allExcused = (before.excused ?? 0) + excused
    return {
      sent: before.sent + now.sent - this.#uncounted.sent,
      // By the windows, as the stop rules count: a request of the baseline may fail after it.
      failed: before.failed + (this.#measuredSince === undefined ? now.failed : countedFailedOf(windows)) - undecided,
      ...(allExcused === 0 ? {} : { excused: allExcused }),
      ...(undecided === 0 ? {} : { undecided }),
      ...(retried === 0 ? {} : { retried }),
      skipped: before.skipped + now.skipped - this.#uncounted.skipped,
      ratePerSecond: this.#parts.spec.targets.reduce(
        (total, target) => total + (target.control ? 0 : target.ratePerSecond),
        0,
      ),
      p99Ms: worstP99Ms(status),
      baselineP99Ms: this.#baselineP99Ms,
      strays: (this.#parts.before?.strays ?? 0) + this.#parts.strays(),
      notMeasuredMs: notMeasuredMs(status, this.#parts.before),
      ...(this.#measuredSince === undefined ? { inBaseline: true } : {}),
      ...(stop.length === 0 ? {} : { stop }),
    }
  }

  /**
   * Failed requests of every window since the run's baseline whose most likely step is one of this node, with or without a
   * reload.
   */
  failedIn(node: string): number {
    const blamed = this.#windows().filter((window) => this.#causes(window).blame[0]?.node === node)
    return (this.#parts.before?.failedOf[node] ?? 0) + countedFailedOf(blamed)
  }

  /** Failed requests that no stop rule counts yet, since a control may excuse them. */
  #undecided(windows: readonly FailureWindow[]): number {
    const { spec: probe, clock } = this.#parts
    const known = { spec: { probe }, wall: clock.wallMs() }
    return countedFailedOf(windows) - windows.reduce((sum, window) => sum + judgedFailed(known, window), 0)
  }

  #tellRetried(): void {
    const { probe, clock, emit } = this.#parts
    for (const text of this.#retried.found(probe.status(), clock.monoMs())) emit({ type: 'warning', text })
  }

  #uses(isLast: boolean): readonly StopUse[] {
    return (this.#parts.uses?.(isLast) ?? []).map((use) => {
      if (use.rule !== 'latency') return use
      const key = `${use.target} ${use.slowerThanMs} ${use.overMs} ${use.allowed}`
      const used = Math.max(use.used, this.#slowest.get(key) ?? 0)
      this.#slowest.set(key, used)
      return { ...use, used }
    })
  }

  #windows(): readonly FailureWindow[] {
    const since = this.#measuredSince
    if (since === undefined) return []
    return this.#parts.probe.windows().filter((window) => !window.control && window.lastBadAt >= since)
  }

  /** None where a control target excuses it. */
  #causes(window: FailureWindow): Pick<Extract<Attribution, { kind: 'found' }>, 'reloads' | 'blame'> {
    const { spec, steps, reloads } = this.#parts
    const periodMs = lanePeriodMs(spec.targets, window)
    const found = attribute({ window, periodMs, steps: steps(), reloads: reloads() })
    return found.kind === 'prober' ? { reloads: [], blame: [] } : found
  }

  #tell(mayTell: (noticedAt: MonoMs) => boolean): void {
    for (const { type, window } of this.#notices.due(this.#windows(), this.#parts.clock.monoMs(), mayTell)) {
      const { reloads, blame } = this.#causes(window)
      const excused = isExcused(window)
      this.#parts.emit({ type, window, reloads, blame, ...(excused ? { excused } : {}) })
    }
  }
}

interface Totals {
  readonly sent: number
  readonly failed: number
  readonly retried: number
  readonly skipped: number
}

const NONE: Totals & Pick<LoadBefore, 'excused'> = { sent: 0, failed: 0, retried: 0, skipped: 0 }

function totals({ lanes }: ProbeStatus): Totals {
  const ours = lanes.filter((lane) => !lane.control)
  const sum = (count: (lane: LaneSummary) => number): number => ours.reduce((total, lane) => total + count(lane), 0)
  return {
    sent: sum((lane) => lane.sent),
    failed: sum((lane) => lane.failed),
    retried: sum((lane) => lane.retried ?? 0),
    skipped: sum((lane) => lane.skipped),
  }
}

/**
 * Includes the time between the last entry of the previous process and the first sample of this one. Each target reports a
 * stall by itself, so spans overlap.
 */
function notMeasuredMs({ startedAt, notMeasured }: ProbeStatus, before: LoadBefore | undefined): number {
  const between = before === undefined ? 0 : before.notMeasuredMs + Math.max(0, startedAt - before.until)
  return Math.round(between + lengthMs(union(notMeasured)))
}

const worstP99Ms = (status: ProbeStatus): number =>
  Math.max(0, ...status.lanes.filter((lane) => !lane.control).map((lane) => lane.p99Ms))
