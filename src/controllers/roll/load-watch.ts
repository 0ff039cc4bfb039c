import { attribute, type StepSpan } from '../../core/availability/attribution.ts'
import { windowKey } from '../../core/roll/counted-windows.ts'
import type { FailureWindow, ProbeFacts } from '../../model/probe.ts'
import type { Blame, LoadTick, RollEvent } from '../../model/roll-event.ts'
import type { RollSpec } from '../../model/roll-spec.ts'
import type { WallMs } from '../../model/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Probe } from '../../ports/probe.ts'

export interface LoadWatchParts {
  readonly probe: Probe
  readonly spec: NonNullable<RollSpec['probe']>
  readonly clock: Clock
  readonly steps: () => readonly StepSpan[]
  readonly strays: () => number
  readonly emit: (event: RollEvent) => void
}

const TICK_MS = 1000

/** Tells of each failure window when it opens and when it closes, with the steps it overlaps, and ticks once a second. */
export class LoadWatch {
  readonly #parts: LoadWatchParts
  readonly #opened = new Set<string>()
  readonly #closed = new Set<string>()
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

  changed(): void {
    const since = this.#measuredSince
    if (since === undefined) return
    for (const window of this.#parts.probe.facts().windows) {
      if (window.control || window.lastBadAt < since) continue
      const key = windowKey(window)
      if (!this.#opened.has(key)) this.#tell('window.opened', key, window)
      if (window.firstOkAt !== undefined && !this.#closed.has(key)) this.#tell('window.closed', key, window)
    }
  }

  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      await this.#parts.clock.sleep(TICK_MS, signal)
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

  /** The steps a window overlaps, most likely first; none where a control target failed with it. */
  blame(window: FailureWindow): readonly Blame[] {
    const target = this.#parts.spec.targets.find((candidate) => candidate.name === window.target)
    const controlWindows = this.#parts.probe.facts().windows.filter((candidate) => candidate.control)
    const periodMs = 1000 / (target?.ratePerSecond ?? 1)
    const found = attribute({ window, periodMs, controlWindows, steps: this.#parts.steps() })
    return found.kind === 'prober' ? [] : found.blame
  }

  /** Requests of every window since the baseline that is held most likely of this node. */
  failedIn(node: string): number {
    const since = this.#measuredSince
    if (since === undefined) return 0
    return this.#parts.probe
      .facts()
      .windows.filter((window) => !window.control && window.lastBadAt >= since && this.blame(window)[0]?.node === node)
      .reduce((sum, window) => sum + window.failed, 0)
  }

  #tell(type: 'window.opened' | 'window.closed', key: string, window: FailureWindow): void {
    const told = type === 'window.opened' ? this.#opened : this.#closed
    told.add(key)
    this.#parts.emit({ type, window, blame: this.blame(window) })
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
