import { present } from '../../../ground/model/present.ts'
import type { FailureWindow, Sample } from '../../../ground/model/probe.ts'
import { type WallMs, wallMs } from '../../../ground/model/time.ts'

/** Failures with fewer than three good periods between them are one window. */
const MERGE_PERIODS = 3

interface GoodEnd {
  readonly firstOkAt: WallMs
  readonly servedAfter?: string
  /** Good samples since the last bad one. */
  readonly good: number
}

/** The state of one lane of one target, after its samples in the order of their schedule. */
export interface WindowFold {
  readonly lastOkAt?: WallMs
  readonly lastServedBy?: string
  /** The window that is open, or closed for too short a time to be sure. */
  readonly current?: { readonly window: FailureWindow; readonly end?: GoodEnd }
}

interface WindowStep {
  readonly fold: WindowFold
  /** A window that nothing can change any more. */
  readonly closed?: FailureWindow
}

export const NO_WINDOW: WindowFold = {}

interface Folding {
  readonly periodMs: number
  /** No further window is closed: the one that is open stands for those that follow. */
  readonly isFull?: boolean
}

/** Takes the next sample of the lane. A skipped sample changes nothing. */
export function foldWindow(fold: WindowFold, sample: Sample, { periodMs, isFull = false }: Folding): WindowStep {
  if (sample.verdict === 'skipped') return { fold }
  const { current } = fold
  const apart = current !== undefined && isApart(current.window, sample, periodMs)
  if (sample.verdict === 'ok') {
    const seen = seenOk(sample)
    if (current === undefined) return { fold: seen }
    const end = addGood(current.end, sample)
    return apart && !isFull
      ? { fold: seen, closed: withEnd(current.window, end) }
      : { fold: { ...seen, current: { ...current, end } } }
  }
  if (current === undefined) return { fold: opened(fold, sample) }
  const { end } = current
  // Without a good sample in between nothing shows that the window ended, however long nothing was measured.
  const isOther = end !== undefined && apart
  if (isOther && !isFull) return { fold: opened(fold, sample), closed: withEnd(current.window, end) }
  const window = extended(current.window, sample, end?.good ?? 0)
  return { fold: { ...fold, current: { window: isOther ? { ...window, isMerged: true } : window } } }
}

/** The window that is not closed, without an end. */
export const openWindow = (fold: WindowFold): FailureWindow | undefined => fold.current?.window

/** The last window, once no more samples come, with the end that was seen. */
export function lastWindow(fold: WindowFold): FailureWindow | undefined {
  if (fold.current === undefined) return undefined
  const { window, end } = fold.current
  return end === undefined ? window : withEnd(window, end)
}

/** Half a period of tolerance: the third slot after it belongs to the window, the fourth does not. */
const isApart = (window: FailureWindow, sample: Sample, periodMs: number): boolean =>
  sample.scheduledAt - window.lastBadAt >= (MERGE_PERIODS + 0.5) * periodMs

const seenOk = (sample: Sample): WindowFold => ({
  lastOkAt: sample.scheduledAt,
  ...present({ lastServedBy: sample.servedBy }),
})

const addGood = (end: GoodEnd | undefined, sample: Sample): GoodEnd =>
  end === undefined
    ? {
        firstOkAt: sample.scheduledAt,
        ...present({ servedAfter: sample.servedBy }),
        good: 1,
      }
    : { ...end, good: end.good + 1 }

const withEnd = (window: FailureWindow, end: GoodEnd): FailureWindow => ({
  ...window,
  firstOkAt: end.firstOkAt,
  ...present({ servedAfter: end.servedAfter }),
})

const classOf = (sample: Sample): keyof FailureWindow['failures'] => sample.failure ?? 'noResponse'

/** Ended by the other side. A request of another class may have been given up, and failed at any time since it was sent. */
const BROKEN: ReadonlySet<Sample['failure']> = new Set(['reset', 'stale', 'status', 'content', 'body'])

const failedAt = ({ failure, scheduledAt, latencyMs }: Sample): WallMs | undefined =>
  BROKEN.has(failure) ? wallMs(scheduledAt + latencyMs) : undefined

function opened(fold: WindowFold, sample: Sample): WindowFold {
  const window: FailureWindow = {
    target: sample.target,
    control: sample.control,
    lane: sample.lane,
    sent: 1,
    failed: 1,
    failures: { [classOf(sample)]: 1 },
    firstError: sample.error ?? '',
    ...present({ lastOkAt: fold.lastOkAt }),
    firstBadAt: sample.scheduledAt,
    ...present({ firstFailedAt: failedAt(sample) }),
    lastBadAt: sample.scheduledAt,
    ...present({ servedBefore: fold.lastServedBy }),
  }
  return { ...fold, current: { window } }
}

function extended(window: FailureWindow, sample: Sample, goodBetween: number): FailureWindow {
  const failure = classOf(sample)
  return {
    ...window,
    sent: window.sent + goodBetween + 1,
    failed: window.failed + 1,
    failures: { ...window.failures, [failure]: (window.failures[failure] ?? 0) + 1 },
    lastBadAt: sample.scheduledAt,
  }
}
