import type { FailureWindow, Sample } from '../../../ground/model/probe.ts'
import { lifeOf } from './control-lane.ts'
import { firstOf, WindowExcuses } from './excuses.ts'
import { foldWindow, lastWindow, NO_WINDOW, openWindow, type WindowFold } from './windows.ts'

/** A target that flaps for days must not fill the memory: beyond this number the last window stands for all that follow. */
const MOST_WINDOWS = 5_000

interface KeptWindow {
  readonly window: FailureWindow
  readonly excuses: WindowExcuses
}

/** The failure windows of one lane of one target. */
export class LaneWindows {
  readonly #periodMs: number
  readonly #closed: KeptWindow[] = []
  #fold: WindowFold = NO_WINDOW
  /** The excuses of the open window, or of the next one. */
  #excuses = new WindowExcuses()

  constructor(periodMs: number) {
    this.#periodMs = periodMs
  }

  /** Takes samples in the order of the schedule. Returns the excuses of the window that a failed sample is in. */
  record(sample: Sample): WindowExcuses {
    const { fold, closed } = foldWindow(this.#fold, sample, this.#folding())
    this.#fold = fold
    if (closed !== undefined) {
      this.#closed.push({ window: closed, excuses: this.#excuses })
      this.#excuses = new WindowExcuses()
    }
    return this.#excuses
  }

  /**
   * The windows with `ahead`: samples after some that still have no verdict. Windows that `ahead` would open or close are shown
   * as open, since such a verdict can still change them. `mayExcuse`: whether a control may excuse one of these.
   */
  seen(ahead: readonly Sample[], mayExcuse: (sample: Sample) => boolean = () => false): readonly FailureWindow[] {
    const shown = this.#closed.map(withExcuses)
    let fold = this.#fold
    let excuses = ahead.length === 0 ? this.#excuses : this.#excuses.copy()
    for (const sample of ahead) {
      const step = foldWindow(fold, sample, this.#folding())
      fold = step.fold
      if (step.closed !== undefined) {
        shown.push(withExcuses({ window: asOpen(step.closed), excuses }))
        excuses = new WindowExcuses()
      }
      if (sample.verdict === 'failed' && mayExcuse(sample)) excuses.undecided.add(lifeOf(sample))
    }
    const last = openWindow(fold)
    return last === undefined ? shown : [...shown, withExcuses({ window: last, excuses })]
  }

  #folding() {
    return { periodMs: this.#periodMs, isFull: this.#closed.length >= MOST_WINDOWS }
  }

  /** The windows once no more samples come. */
  ended(): readonly FailureWindow[] {
    const closed = this.#closed.map(withExcuses)
    const last = lastWindow(this.#fold)
    return last === undefined ? closed : [...closed, withExcuses({ window: last, excuses: this.#excuses })]
  }
}

const asOpen = ({ firstOkAt: _at, servedAfter: _by, ...window }: FailureWindow): FailureWindow => window

function withExcuses({ window, excuses: { excused, undecided } }: KeptWindow): FailureWindow {
  if (excused === 0 && undecided.size === 0) return window
  return {
    ...window,
    ...(excused === 0 ? {} : { excused }),
    ...(undecided.size === 0 ? {} : { undecided: { failed: undecided.size, since: firstOf(undecided) } }),
  }
}
