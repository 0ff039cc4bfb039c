import type { FailureWindow } from '../../ground/model/probe.ts'
import { countedFailed } from './availability/not-counted.ts'
import { laneSchedules } from './availability/schedule.ts'
import { countedWindows } from './counted-windows.ts'
import type { RollSnapshot } from './snapshot.ts'

/** What is known of failed requests, and who could excuse them. */
type Measured = Pick<RollSnapshot, 'run' | 'probe' | 'spec' | 'wall'>

/** A batch of the prober on its way, and a pass that is late. */
const SLACK_MS = 1000

/** Counted windows of which a request failed that nothing can excuse any more: those a stop rule goes by. */
export const judgedWindows = (s: Measured): readonly FailureWindow[] =>
  countedWindows(s).filter((window) => !awaitsControl(s, window))

/** Windows that would stop the roll, were it known by now that no control failed with them. */
export const awaitingWindows = (s: Measured): readonly FailureWindow[] =>
  countedWindows(s).filter((window) => awaitsControl(s, window))

/**
 * How many requests of a counted window failed for sure. A failure is told before it can be known that the control failed too: it
 * is asked more rarely and may be given up later. So a failure that may still be excused waits. A control that is silent excuses
 * nothing: past the time by which it owed its verdict on the first of them, all of them count.
 */
export function judgedFailed({ spec, wall }: Pick<Measured, 'spec' | 'wall'>, window: FailureWindow): number {
  const { undecided } = window
  const failed = countedFailed(window)
  if (undecided === undefined) return failed
  const controls = (spec.probe?.targets ?? []).filter((target) => target.control)
  const answersMs = controls.map(
    (target) => target.timeoutMs + Math.max(0, ...laneSchedules(target, 0).map((lane) => lane.periodMs)),
  )
  const isOwed = wall < undecided.since + Math.max(0, ...answersMs) + SLACK_MS
  return isOwed ? Math.max(0, failed - undecided.failed) : failed
}

const awaitsControl = (s: Measured, window: FailureWindow): boolean => judgedFailed(s, window) === 0
