import type { FailureWindow } from '../../model/probe.ts'
import type { WallMs } from '../../model/time.ts'
import { laneSchedules } from '../availability/schedule.ts'
import { countedWindows } from './counted-windows.ts'
import type { RollSnapshot } from './snapshot.ts'

/** What is known of failed requests, and who could excuse them. */
export type Measured = Pick<RollSnapshot, 'run' | 'probe' | 'spec' | 'wall'>

/** A batch of the prober on its way, and a pass that is late. */
const SLACK_MS = 1000

/** Counted windows that nothing can excuse any more but a control that fails later on: those a stop rule goes by. */
export const judgedWindows = (s: Measured): readonly FailureWindow[] =>
  countedWindows(s).filter((window) => !awaitsControl(s, window))

/** Windows that would stop the roll, were it known by now that no control failed with them. */
export const awaitingWindows = (s: Measured): readonly FailureWindow[] =>
  countedWindows(s).filter((window) => awaitsControl(s, window))

/**
 * A failure is told before it can be known that the control failed too: it is asked more rarely and may be given up
 * later. So a window waits until every lane of every control has a verdict on a request begun after the first failure.
 * By the first, since an outage that goes on would move the last for ever. A control that is silent excuses nothing:
 * past the time by which it owed its verdict the window counts.
 */
function awaitsControl({ spec, probe, wall }: Measured, { firstBadAt }: FailureWindow): boolean {
  const owed = (spec.probe?.targets ?? [])
    .filter((target) => target.control)
    .map((target) => ({
      periodMs: Math.max(0, ...laneSchedules(target, 0).map((lane) => lane.periodMs)),
      timeoutMs: target.timeoutMs,
    }))
  const periodMs = Math.max(0, ...owed.map((control) => control.periodMs))
  const answerMs = Math.max(0, ...owed.map((control) => control.periodMs + control.timeoutMs))
  if (owed.length === 0 || isPast(probe?.settledBefore, firstBadAt + periodMs)) return false
  return wall < firstBadAt + answerMs + SLACK_MS
}

const isPast = (at: WallMs | undefined, limit: number): boolean => at !== undefined && at > limit
