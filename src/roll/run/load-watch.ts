import type { FailureWindow, ProbeStatus } from '../../ground/model/probe.ts'
import { type MonoMs, type WallMs, wallMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import { type Attribution, attribute, type StepSpan } from '../decide/availability/attribution.ts'
import { lengthMs, union } from '../decide/availability/downtime.ts'
import { lanePeriodMs } from '../decide/availability/lane-period.ts'
import { countedFailedOf, excusedOf, isExcused } from '../decide/availability/not-counted.ts'
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
  /** Every balancer instance was asked since then, and has answered. */
  readonly answeredSince: (at: MonoMs) => boolean
  readonly strays: () => number
  /** What the stop rules of the file have used up. `isLast`: no control will be heard any more. Absent: it allows nothing. */
  readonly uses?: (isLast: boolean) => readonly StopUse[]
  readonly emit: (event: RollEvent) => void
  /** Of a run that is taken up. Something may be out already, so every sample counts, those of its baseline too. */
  readonly before?: LoadBefore
}

const TICK_MS = 1000
/** The longest that a window is kept back until its cause can have been seen. */
const LOOK_LIMIT_MS = 1000
/** Longer than it takes to hear of a control, whatever its time-out. */
const TROUBLED_FOR_MS = 120_000

/** Tells of each failure window when it opens and when it closes, with its causes, and ticks once a second. */
export class LoadWatch {
  readonly #parts: LoadWatchParts
  readonly #notices = new WindowNotices()
  #measuredSince: WallMs | undefined
  /** Sent in the baseline of a run that has touched nothing yet. */
  #uncounted = NONE
  #baselineP99Ms = 0
  /** Of each latency limit, the highest share so far. */
  readonly #slowest = new Map<string, number>()

  constructor(parts: LoadWatchParts) {
    this.#parts = parts
    if (parts.before !== undefined) this.#measuredSince = wallMs(0)
  }

  /** A control that was green in it excuses failures from here on; of any other people must know that it does not. */
  baselineEnded(at: WallMs): void {
    const { probe, spec, before, emit } = this.#parts
    probe.baseline(wallMs(at - spec.baselineMs), at)
    const facts = probe.status()
    this.#baselineP99Ms = worstP99Ms(facts)
    if (before === undefined) {
      this.#measuredSince = at
      this.#uncounted = totals(facts)
    }
    emit({ type: 'baseline.ended', sent: facts.greenStreak, p99Ms: this.#baselineP99Ms })
    for (const control of facts.redControls ?? []) {
      emit({ type: 'warning', text: `${control} failed in the baseline, so it excuses no failed request` })
    }
  }

  /**
   * To be called when the probe knows more, and after each poll of a balancer: a request often fails before the reload
   * is seen that made it fail, so a window is told once every instance has answered after it, or a second later.
   */
  changed(): void {
    this.#tell((noticedAt) => {
      const { clock, answeredSince } = this.#parts
      return answeredSince(noticedAt) || clock.monoMs() - noticedAt >= LOOK_LIMIT_MS
    })
  }

  /** Requests failed of late, or too many are slow: what is known of them changes from batch to batch, and decides. */
  isTroubled(): boolean {
    const since = this.#parts.clock.wallMs() - TROUBLED_FOR_MS
    const failed = this.#parts.probe.windows().some((window) => (window.firstOkAt ?? since) >= since)
    return failed || this.#uses(false).some(isUsedUp)
  }

  /** Whether a window is kept back. */
  hasUntold(): boolean {
    return this.#notices.hasUntold()
  }

  /** Nothing more will be known: tells what was kept back. */
  finish(): void {
    this.#tell(() => true)
  }

  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      await this.#parts.clock.sleep(TICK_MS, signal)
      this.changed()
      this.tellTotals()
    }
  }

  /** Once a second, and where a node ends: its failed requests are counted up to then, and so is what was sent. */
  tellTotals(): void {
    this.#parts.emit({ type: 'load.tick', load: this.tick() })
  }

  /** `isLast`: no control will be heard any more, so what one could still excuse counts. */
  tick(isLast = false): LoadTick {
    const { before = NONE } = this.#parts
    const facts = this.#parts.probe.status()
    const now = totals(facts)
    const windows = this.#windows()
    const excused = excusedOf(windows)
    const waiting = isLast ? 0 : windows.reduce((sum, { undecided }) => sum + (undecided?.failed ?? 0), 0)
    const stop = this.#uses(isLast)
    const allExcused = (before.excused ?? 0) + excused
    return {
      sent: before.sent + now.sent - this.#uncounted.sent,
      failed: before.failed + now.failed - this.#uncounted.failed - excused - waiting,
      ...(allExcused === 0 ? {} : { excused: allExcused }),
      skipped: before.skipped + now.skipped - this.#uncounted.skipped,
      ratePerSecond: this.#parts.spec.targets.reduce(
        (total, target) => total + (target.control ? 0 : target.ratePerSecond),
        0,
      ),
      p99Ms: worstP99Ms(facts),
      baselineP99Ms: this.#baselineP99Ms,
      strays: (this.#parts.before?.strays ?? 0) + this.#parts.strays(),
      notMeasuredMs: notMeasuredMs(facts, this.#parts.before),
      ...(this.#measuredSince === undefined ? { inBaseline: true } : {}),
      ...(stop.length === 0 ? {} : { stop }),
    }
  }

  /** Requests of every window of the run since its baseline whose most likely step is one of this node, reload or not. */
  failedIn(node: string): number {
    const blamed = this.#windows().filter((window) => this.#causes(window).blame[0]?.node === node)
    return (this.#parts.before?.failedOf[node] ?? 0) + countedFailedOf(blamed)
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

const NONE: Pick<LoadBefore, 'sent' | 'failed' | 'excused' | 'skipped'> = { sent: 0, failed: 0, skipped: 0 }

function totals({ lanes }: ProbeStatus): { readonly sent: number; readonly failed: number; readonly skipped: number } {
  const ours = lanes.filter((lane) => !lane.control)
  return {
    sent: ours.reduce((sum, lane) => sum + lane.sent, 0),
    failed: ours.reduce((sum, lane) => sum + lane.failed, 0),
    skipped: ours.reduce((sum, lane) => sum + lane.skipped, 0),
  }
}

/**
 * With what lies between the last process's last word and the first sample of this one. Each target tells of a stall by
 * itself, so spans overlap.
 */
function notMeasuredMs({ startedAt, notMeasured }: ProbeStatus, before: LoadBefore | undefined): number {
  const between = before === undefined ? 0 : before.notMeasuredMs + Math.max(0, startedAt - before.until)
  return Math.round(between + lengthMs(union(notMeasured)))
}

const worstP99Ms = (facts: ProbeStatus): number =>
  Math.max(0, ...facts.lanes.filter((lane) => !lane.control).map((lane) => lane.p99Ms))
