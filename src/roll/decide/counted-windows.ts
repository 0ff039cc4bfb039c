import type { FailureWindow } from '../../ground/model/probe.ts'
import { isExcused } from './availability/not-counted.ts'
import type { RollSnapshot } from './snapshot.ts'

/** The windows from the end of the baseline on, without those that a control excuses wholly: their cause is the prober. */
export function countedWindows(s: Pick<RollSnapshot, 'run' | 'probe'>): readonly FailureWindow[] {
  const since = s.run.measuredSince
  if (s.probe === undefined || since === undefined) return []
  return s.probe.windows.filter((window) => !window.control && window.lastBadAt >= since && !isExcused(window))
}

/** Names a window by its beginning, which does not change. */
export const windowKey = (window: FailureWindow): string => `${window.target} ${window.lane} ${window.firstBadAt}`
