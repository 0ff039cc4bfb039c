import type { FailureWindow, Sample } from '../../model/probe.ts'
import { foldWindow, lastWindow, NO_WINDOW, openWindow, type WindowFold } from './windows.ts'

/** A target that flaps for days must not fill the memory: from then on the last window grows instead. */
const MOST_WINDOWS = 5_000

/** The failure windows of one lane of one target. */
export class LaneWindows {
  readonly #periodMs: number
  readonly #closed: FailureWindow[] = []
  #fold: WindowFold = NO_WINDOW

  constructor(periodMs: number) {
    this.#periodMs = periodMs
  }

  /** In the order of the schedule. */
  record(sample: Sample): void {
    const full = this.#closed.length >= MOST_WINDOWS
    const { fold, closed } = foldWindow(this.#fold, sample, full ? Number.POSITIVE_INFINITY : this.#periodMs)
    this.#fold = fold
    if (closed !== undefined) this.#closed.push(closed)
  }

  /**
   * With `ahead`, samples whose predecessors are still owed a verdict: windows they would open or close are shown open,
   * since such a verdict can still change them.
   */
  seen(ahead: readonly Sample[]): readonly FailureWindow[] {
    const open: FailureWindow[] = []
    let fold = this.#fold
    for (const sample of ahead) {
      const step = foldWindow(fold, sample, this.#periodMs)
      fold = step.fold
      if (step.closed !== undefined) open.push(asOpen(step.closed))
    }
    const last = openWindow(fold)
    return last === undefined ? [...this.#closed, ...open] : [...this.#closed, ...open, last]
  }

  /** Where no sample will follow. */
  ended(): readonly FailureWindow[] {
    const last = lastWindow(this.#fold)
    return last === undefined ? this.#closed : [...this.#closed, last]
  }
}

const asOpen = ({ firstOkAt: _at, servedAfter: _by, ...window }: FailureWindow): FailureWindow => window
