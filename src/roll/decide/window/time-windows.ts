import type { Reason } from '../../../ground/model/reason.ts'
import type { Verdict } from '../../model/verdict.ts'
import { hasCurrent, ownRecord } from '../node-snapshot.ts'
import type { RollSnapshot } from '../snapshot.ts'
import {
  type AnySnapshot,
  hasSubject,
  isBegun,
  isBeyondRestore,
  isOfMachine,
  type SubjectSnapshot,
  subjectOf,
} from '../subject.ts'
import { windowClosed, windowClosedMeanwhile, windowClosesSoon, windowTooShort } from './window-reasons.ts'

/**
 * Why the node or machine under way is not begun now: no window is open, or it would not be done in this one. Asked until its
 * record is written. No other node is begun in its place, since their order has reasons.
 *
 * Law: no node is begun outside of a time window.
 */
export function windowAgainst(s: SubjectSnapshot): Reason | undefined {
  const { window } = s.spec
  if (window === undefined) return undefined
  if (s.window?.open === undefined) return windowClosed(window, s.window)
  const { open, now, need, longestMs } = s.window
  if (need === undefined || need.ms <= open.to - now) return undefined
  // A node that took long may have waited for something: only the plan's own estimate shows that no window is long enough.
  if (need.ms > longestMs && need.by === 'estimate') return windowTooShort(s, { window, need, longestMs })
  return windowClosesSoon(s, { window, need, longestMs, closesAt: open.to })
}

/** No node was begun, and the roll waits for a window. */
export const awaitsWindow = (s: RollSnapshot | undefined): boolean =>
  s !== undefined && hasCurrent(s) && ownRecord(s) === undefined && windowAgainst(s) !== undefined

/**
 * The window closed while a node or machine is in work, and its reboot is not announced: it is put back as by an abort, and the
 * roll goes on with it in the next window. One that was not changed yet is put back in any case: there is nothing to finish.
 * Each process judges this anew, by its own time.
 *
 * Law: outside of a time window nothing disrupts a node before the announcement of its reboot, unless the roll file has nodes
 * finished.
 */
export function closedMeanwhile(s: AnySnapshot): Verdict | undefined {
  const { window } = s.spec
  if (window === undefined || s.window?.open !== undefined || s.run.verdict !== undefined) return undefined
  if (!hasSubject(s) || (!isOfMachine(s) && s.current.absent === true)) return undefined
  if (!isBegun(s) || isBeyondRestore(s)) return undefined
  if (window.onClose === 'finish' && isTouched(s)) return undefined
  return {
    kind: 'held',
    keepOut: false,
    reasons: [windowClosedMeanwhile(subjectOf(s).name, window, s.window)],
    ofNode: true,
  }
}

/** The first change to a node is its cordon, and to a machine the move of its addresses. */
const isTouched = (s: SubjectSnapshot): boolean =>
  isOfMachine(s)
    ? s.memory.isAway === true
    : s.current.node.unschedulable || Object.keys(s.evidence.detached).length > 0
