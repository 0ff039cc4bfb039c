import type { Verdict } from '../../model/verdict.ts'
import { judgedWindows } from '../awaits-control.ts'
import { requestsFailed } from '../requests-failed.ts'
import { isOfOthers } from './other-lane.ts'
import { type Measured, stopVerdict } from './stop-rules.ts'

/** For the node in work, or a machine of a pair. */
export const measuredVerdict = (s: Measured): Verdict | undefined =>
  s.spec.stop === undefined ? failedRequests(s) : stopVerdict(s)

/**
 * A failed request ends the roll, once its control has answered. A request that failed after the attach of the node began takes
 * the node out again.
 *
 * Law: a node that is put back is not taken out for requests that failed because no process of its balancer was reached.
 */
function failedRequests(s: Measured): Verdict | undefined {
  const windows = judgedWindows(s)
  if (windows.length === 0) return undefined
  const backSince = s.evidence.attachingSinceWall
  const keepOut =
    backSince !== undefined && windows.some((window) => window.lastBadAt >= backSince && !isOfOthers(s, window))
  return { kind: 'stopped', keepOut, reasons: requestsFailed(s) }
}
