import { type Attribution, attribute, type StepSpan } from '../../core/availability/attribution.ts'
import { lanePeriodMs } from '../../core/availability/lane-period.ts'
import type { FailureWindow, ProbeFacts } from '../../model/probe.ts'
import type { ReloadSpan } from '../../model/reload-span.ts'
import type { LoadTick, RollEvent } from '../../model/roll-event.ts'
import type { RollSpec } from '../../model/roll-spec.ts'
import type { MonoMs, WallMs } from '../../model/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Probe } from '../../ports/probe.ts'
import { WindowNotices } from './window-notices.ts'

export interface LoadWatchParts {
  readonly probe: Probe
  readonly spec: NonNullable<RollSpec['probe']>
  readonly clock: Clock
  readonly steps: () => readonly StepSpan[]
  readonly reloads: () => readonly ReloadSpan[]
  /** Every balancer instance was asked since then, and has answered. */
  readonly answeredSince: (at: MonoMs) => boolean
  readonly strays: () => number
  readonly emit: (event: RollEvent) => void
}

const TICK_MS = 1000
/** The longest that a window is kept back until its cause can have been seen. */
const LOOK_LIMIT_MS = 1000

/** Tells of each failure window when it opens and when it closes, with its causes, and ticks once a second. */
export class LoadWatch {
  readonly #parts: LoadWatchParts
  readonly #notices = new WindowNotices()
  #measuredSince: WallMs | undefined
  #before = { sent: 0, failed: 0, skipped: 0 }
  #baselineP99Ms = 0

  constructor(parts: LoadWatchParts) {
    this.#parts = parts
  }

  baselineEnded(at: WallMs): void {
    this.#measuredSince = at
    this.#before = totals(this.#parts.probe.facts())
    this.#baselineP99Ms = worstP99Ms(this.#parts.probe.facts())
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
      this.#parts.emit({ type: 'load.tick', load: this.tick() })
    }
  }

  tick(): LoadTick {
    const now = totals(this.#parts.probe.facts())
    return {
      sent: now.sent - this.#before.sent,
      failed: now.failed - this.#before.failed,
      skipped: now.skipped - this.#before.skipped,
      ratePerSecond: this.#parts.spec.targets.reduce(
        (total, target) => total + (target.control ? 0 : target.ratePerSecond),
        0,
      ),
      p99Ms: worstP99Ms(this.#parts.probe.facts()),
      baselineP99Ms: this.#baselineP99Ms,
      strays: this.#parts.strays(),
      notMeasuredMs: notMeasuredMs(this.#parts.probe.facts()),
    }
  }

  /** Requests of every window since the baseline whose most likely step is one of this node, reload or not. */
  failedIn(node: string): number {
    return this.#windows()
      .filter((window) => this.#causes(window).blame[0]?.node === node)
      .reduce((sum, window) => sum + window.failed, 0)
  }

  #windows(): readonly FailureWindow[] {
    const since = this.#measuredSince
    if (since === undefined) return []
    return this.#parts.probe.facts().windows.filter((window) => !window.control && window.lastBadAt >= since)
  }

  /** None where a control target failed with it. */
  #causes(window: FailureWindow): Pick<Extract<Attribution, { kind: 'found' }>, 'reloads' | 'blame'> {
    const { probe, spec, steps, reloads } = this.#parts
    const controlWindows = probe.facts().windows.filter((candidate) => candidate.control)
    const periodMs = lanePeriodMs(spec.targets, window)
    const found = attribute({ window, periodMs, controlWindows, steps: steps(), reloads: reloads() })
    return found.kind === 'prober' ? { reloads: [], blame: [] } : found
  }

  #tell(mayTell: (noticedAt: MonoMs) => boolean): void {
    for (const { type, window } of this.#notices.due(this.#windows(), this.#parts.clock.monoMs(), mayTell)) {
      const { reloads, blame } = this.#causes(window)
      this.#parts.emit({ type, window, reloads, blame })
    }
  }
}

function totals({ lanes }: ProbeFacts): { readonly sent: number; readonly failed: number; readonly skipped: number } {
  const ours = lanes.filter((lane) => !lane.control)
  return {
    sent: ours.reduce((sum, lane) => sum + lane.sent, 0),
    failed: ours.reduce((sum, lane) => sum + lane.failed, 0),
    skipped: ours.reduce((sum, lane) => sum + lane.skipped, 0),
  }
}

const notMeasuredMs = (facts: ProbeFacts): number =>
  Math.round(facts.notMeasured.reduce((sum, { from, to }) => sum + to - from, 0))

const worstP99Ms = (facts: ProbeFacts): number =>
  Math.max(0, ...facts.lanes.filter((lane) => !lane.control).map((lane) => lane.p99Ms))
