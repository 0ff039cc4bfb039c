import type { ProbeTarget, Sample } from '../../../ground/model/probe.ts'
import { type WallMs, wallMs } from '../../../ground/model/time.ts'
import { ControlLane, isUnanswered, lifeOf } from './control-lane.ts'
import type { Span } from './downtime.ts'
import { laneSchedules } from './schedule.ts'

type Life = ReturnType<typeof lifeOf>

/** Which failures of one window the controls excuse. */
export class WindowExcuses {
  excused = 0
  readonly undecided: Set<Life>

  constructor(undecided: Iterable<Life> = []) {
    this.undecided = new Set(undecided)
  }

  copy(): WindowExcuses {
    const copy = new WindowExcuses(this.undecided)
    copy.excused = this.excused
    return copy
  }
}

interface Waiting {
  readonly life: Life
  readonly window: WindowExcuses
}

/**
 * Whether a failed request is the prober's own fault: it got no answer, and was under way while a control that was green in the
 * baseline got none either. Each request is decided by itself, once every control was asked again after it.
 *
 * Law: a control that was green in the baseline excuses what failed while it got no answer, and nothing else.
 */
export class Excuses {
  /** By target, the lanes of each control. */
  readonly #controls: ReadonlyMap<string, ReadonlyMap<string, ControlLane>>
  #baseline: Span | undefined
  #waiting: Waiting[] = []

  constructor(targets: readonly ProbeTarget[]) {
    const lanesOf = (target: ProbeTarget): ReadonlyMap<string, ControlLane> =>
      new Map(laneSchedules(target, 0).map(({ lane, periodMs }) => [lane, new ControlLane(periodMs)]))
    this.#controls = new Map(targets.filter(({ control }) => control).map((target) => [target.name, lanesOf(target)]))
  }

  baseline(span: Span): void {
    this.#baseline = span
    for (const lanes of this.#controls.values()) for (const lane of lanes.values()) lane.baseline = span
  }

  /** Controls that were not green in the baseline. */
  red(): readonly string[] {
    if (this.#baseline === undefined) return []
    return [...this.#controls].filter(([, lanes]) => !isGreen(lanes)).map(([name]) => name)
  }

  /** Whether a failure may still be excused, as long as the order of the samples is not known. */
  mayExcuse(sample: Sample): boolean {
    const { to } = this.#baseline ?? {}
    return to !== undefined && sample.scheduledAt > to && isUnanswered(sample) && this.#green().length > 0
  }

  /** Takes a sample of a control, in the order of the schedule. */
  heard(sample: Sample): void {
    this.#controls.get(sample.target)?.get(sample.lane)?.record(sample)
    if (sample.verdict === 'failed') this.#decide(() => false)
  }

  /** Takes a failed sample of a target, in the order of the schedule. */
  failed(sample: Sample, window: WindowExcuses): void {
    if (!this.mayExcuse(sample)) return
    const life = lifeOf(sample)
    if (this.#isExcused(life)) {
      window.excused += 1
      return
    }
    window.undecided.add(life)
    this.#waiting.push({ life, window })
  }

  /** Every request that was due before this moment has its verdict. */
  settled(before: WallMs): void {
    const lanes = this.#green()
    this.#decide(({ to }) => lanes.every((lane) => lane.isPast(to, before)))
  }

  /** No more verdicts will come. */
  release(): void {
    this.#decide(() => true)
  }

  #green(): readonly ControlLane[] {
    return [...this.#controls.values()].filter(isGreen).flatMap((lanes) => [...lanes.values()])
  }

  #isExcused(life: Life): boolean {
    return this.#green().some((lane) => lane.failedDuring(life))
  }

  #decide(isFinal: (life: Life) => boolean): void {
    if (this.#waiting.length === 0) return
    this.#waiting = this.#waiting.filter(({ life, window }) => {
      const isExcused = this.#isExcused(life)
      if (!isExcused && !isFinal(life)) return true
      window.undecided.delete(life)
      if (isExcused) window.excused += 1
      return false
    })
  }
}

const isGreen = (lanes: ReadonlyMap<string, ControlLane>): boolean => [...lanes.values()].every((lane) => lane.isGreen)

/** When the first of these requests had failed. */
export function firstOf(lives: Iterable<Life>): WallMs {
  let first = Number.POSITIVE_INFINITY
  for (const { to } of lives) first = Math.min(first, to)
  return wallMs(first)
}
