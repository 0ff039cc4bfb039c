import { formatDuration } from '../../../ground/model/duration.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { evenkeel, say } from '../../../ground/model/sentence.ts'
import type { WallMs } from '../../../ground/model/time.ts'
import { zonedTimeText } from '../../../ground/model/zoned-time.ts'
import type { NodeNeed, TimeWindowSpec, TimeWindowState } from '../../model/time-window.ts'
import { type SubjectSnapshot, subjectOf } from '../subject.ts'

// No text of a hold counts down: it stays for hours, and each change of it would be shown.

const IGNORE = say`to go on now: ${evenkeel`roll resume --ignore-window`}`

/** No node or machine is begun now. */
export const windowClosed = (window: TimeWindowSpec, state: TimeWindowState | undefined): Reason => ({
  code: 'WindowClosed',
  text: `no time window is open; ${nextText(window, state)}${clockText(state)}`,
  next: IGNORE,
})

/** The node would still be under way when the window closes. */
export const windowClosesSoon = (s: SubjectSnapshot, { window, need, closesAt }: Fitting): Reason => ({
  code: 'WindowClosesSoon',
  object: subjectOf(s).name,
  text: `${subjectOf(s).name} would not be done in this time window, which closes ${zonedTimeText(closesAt, window.zone)}: ${needText(need)}; ${nextText(window, s.window)}`,
  next: IGNORE,
})

/** The node would not be done in any window. */
export const windowTooShort = (s: SubjectSnapshot, { need, longestMs }: Omit<Fitting, 'closesAt'>): Reason => ({
  code: 'WindowTooShort',
  object: subjectOf(s).name,
  text: `${subjectOf(s).name} fits into no time window, and the longest takes ${formatDuration(longestMs)}: ${needText(need)}`,
  never: true,
  next: say`make the windows longer: ${evenkeel`roll resume -f roll.yaml`}`,
})

/** Why the node or machine under way is put back, or was not begun after all. */
export const windowClosedMeanwhile = (
  name: string,
  window: TimeWindowSpec,
  state: TimeWindowState | undefined,
): Reason => ({
  code: 'WindowClosedMeanwhile',
  object: name,
  text: `the time window closed before the reboot of ${name} was announced, so ${name} is put back; ${nextText(window, state)}${clockText(state)}`,
})

interface Fitting {
  readonly window: TimeWindowSpec
  readonly need: NodeNeed
  readonly longestMs: number
  readonly closesAt: WallMs
}

const needText = ({ ms, by }: NodeNeed): string =>
  by === 'measured'
    ? `the slowest node of this run took ${formatDuration(ms)}`
    : `it is expected to take ${formatDuration(ms)}`

function nextText({ zone }: TimeWindowSpec, state: TimeWindowState | undefined): string {
  if (state === undefined) return 'which ones there are is not known'
  return state.next === undefined ? 'no other one comes' : `the next one opens ${zonedTimeText(state.next.from, zone)}`
}

const clockText = (state: TimeWindowState | undefined): string =>
  state?.clockSetByMs === undefined
    ? ''
    : `; the clock of this machine was set by ${formatDuration(state.clockSetByMs)} during the run, and both times must be within a window`
