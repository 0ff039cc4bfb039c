import type { Reason } from '../../../ground/model/reason.ts'
import type { Verdict } from '../../model/verdict.ts'
import { hasCurrent, hasRebooted, type NodeSnapshot, ownIntent, ownRecord } from '../node-snapshot.ts'
import type { RollSnapshot } from '../snapshot.ts'
import { windowClosed, windowClosedMeanwhile, windowClosesSoon, windowTooShort } from './window-reasons.ts'

/**
 * Why the node under way is not begun now: no window is open, or it would not be done in this one. Asked until its record is
 * written. No other node is begun in its place, since their order has reasons.
 *
 * Law: no node is begun outside of a time window.
 */
export function windowAgainst(s: NodeSnapshot): Reason | undefined {
  const { window } = s.spec
  if (window === undefined) return undefined
  if (s.window?.open === undefined) return windowClosed(window, s.window)
  const { open, now, need, longestMs } = s.window
  if (need === undefined || need.ms <= open.to - now) return undefined
  // A node that took long may have waited for something: only the plan's own estimate says that no window is long enough.
  if (need.ms > longestMs && need.by === 'estimate') return windowTooShort(s, { window, need, longestMs })
  return windowClosesSoon(s, { window, need, longestMs, closesAt: open.to })
}

/** Nothing was begun, and a window is waited for. */
export const awaitsWindow = (s: RollSnapshot | undefined): boolean =>
  s !== undefined && hasCurrent(s) && ownRecord(s) === undefined && windowAgainst(s) !== undefined

/**
 * The window closed while a node is in work, and its reboot is not announced: the node is put back, as an abort does it, and the
 * roll goes on with it in the next window. A node on which nothing was changed yet is put back in any case: there is nothing to
 * finish. Judged anew by each process, by the time that it is then.
 *
 * Law: outside of a time window nothing disrupts a node before the announcement of its reboot, unless the roll file has nodes
 * finished.
 */
export function closedMeanwhile(s: RollSnapshot): Verdict | undefined {
  const { window } = s.spec
  if (window === undefined || s.window?.open !== undefined || s.run.verdict !== undefined) return undefined
  if (!hasCurrent(s) || s.current.absent === true) return undefined
  const record = ownRecord(s)
  if (record === undefined || hasRebooted({ ...s, record }) || ownIntent(s) !== undefined) return undefined
  if (window.onClose === 'finish' && isTouched(s)) return undefined
  return {
    kind: 'held',
    keepOut: false,
    reasons: [windowClosedMeanwhile(s.current.node.name, window, s.window)],
    ofNode: true,
  }
}

/** The cordon comes first of all that is done to a node. */
const isTouched = ({ current, evidence }: NodeSnapshot): boolean =>
  current.node.unschedulable || Object.keys(evidence.detached).length > 0
