import type { FailureWindow } from '../../model/probe.ts'
import type { RollSnapshot } from './snapshot.ts'

/** A window is counted from the end of the baseline on, unless a control target failed with it: then blame the prober. */
export function countedWindows(s: Pick<RollSnapshot, 'run' | 'probe'>): readonly FailureWindow[] {
  const since = s.run.measuredSince
  if (s.probe === undefined || since === undefined) return []
  const { windows } = s.probe
  return windows
    .filter((window) => !window.control && window.lastBadAt >= since)
    .filter((window) => !isExcused(window, windows))
}

/** A control target failed with it. `windows`: all there are. */
export const isExcused = (window: FailureWindow, windows: readonly FailureWindow[]): boolean =>
  windows.some((other) => other.control && overlaps(other, window))

/** Names a window for as long as it is open and after: it begins once. */
export const windowKey = (window: FailureWindow): string => `${window.target} ${window.lane} ${window.firstBadAt}`

const overlaps = (a: FailureWindow, b: FailureWindow): boolean =>
  a.firstBadAt <= (b.firstOkAt ?? b.lastBadAt) && b.firstBadAt <= (a.firstOkAt ?? a.lastBadAt)
