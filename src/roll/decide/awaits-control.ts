import type { FailureWindow } from '../../ground/model/probe.ts'
import type { RollSpec } from '../model/roll-spec.ts'
import { countedFailed } from './availability/not-counted.ts'
import { laneSchedules } from './availability/schedule.ts'
import { countedWindows } from './counted-windows.ts'
import type { RollSnapshot } from './snapshot.ts'

/** The failed requests that are known, and the controls that could excuse them. */
type Measured = Pick<RollSnapshot, 'run' | 'probe' | 'spec' | 'wall'>

/** Time for a batch of the prober on its way, and for a late pass. */
const SLACK_MS = 1000

/** Counted windows with a failed request that nothing can excuse any more: the stop rules go by these. */
export const judgedWindows = (s: Measured): readonly FailureWindow[] =>
  countedWindows(s).filter((window) => !awaitsControl(s, window))

/** Windows that would stop the roll if no control had failed with them, which is not known yet. */
export const awaitingWindows = (s: Measured): readonly FailureWindow[] =>
  countedWindows(s).filter((window) => awaitsControl(s, window))

/**
 * How many requests of a counted window failed for sure. A failure is known before the verdict of the control is: the control
 * is asked less often, and its request may time out later. So a failure that may still be excused is not counted yet. A silent
 * control excuses nothing: once its verdict for the first of these failures is overdue, all of them count.
 */
export function judgedFailed(
  { spec, wall }: Pick<Measured, 'wall'> & { readonly spec: Pick<RollSpec, 'probe'> },
  window: FailureWindow,
): number {
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
