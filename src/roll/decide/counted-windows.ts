import type { FailureWindow } from '../../ground/model/probe.ts'
import { isExcused } from './availability/not-counted.ts'
import type { RollSnapshot } from './snapshot.ts'

/** A window is counted from the end of the baseline on, unless a control excuses all of it: then blame the prober. */
export function countedWindows(s: Pick<RollSnapshot, 'run' | 'probe'>): readonly FailureWindow[] {
  const since = s.run.measuredSince
  if (s.probe === undefined || since === undefined) return []
  return s.probe.windows.filter((window) => !window.control && window.lastBadAt >= since && !isExcused(window))
}

/** Names a window for as long as it is open and after: it begins once. */
export const windowKey = (window: FailureWindow): string => `${window.target} ${window.lane} ${window.firstBadAt}`
