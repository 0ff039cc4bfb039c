import type { Reason } from '../../ground/model/reason.ts'
import type { Verdict } from '../model/verdict.ts'
import { blockedLimit } from './blocked.ts'
import { ladderOf } from './ladder.ts'
import { type NodeSnapshot, ownRecord } from './node-snapshot.ts'
import { machineLadder } from './pair/decide-machine.ts'
import { requestsFailed } from './requests-failed.ts'
import { keptOut, overLimit } from './step-rule.ts'
import { recordReplaced } from './steps/record.ts'
import { measuredVerdict } from './stop/measured-verdict.ts'
import { isOfTraffic } from './stop/other-lane.ts'
import { type AnySnapshot, hasSubject, isBeyondRestore, isOfMachine } from './subject.ts'
import { closedMeanwhile } from './window/time-windows.ts'
import { withFailures } from './with-failures.ts'

/**
 * The stop rules, the loss of a node's record to other writers, and a closed time window, which ends the work on one node or machine alone. A verdict sticks. A later one replaces it
 * only where it is worse for the node or machine under way: it can no longer be put back. What a verdict says of failed requests
 * changes as more is known of them. Requests that fail while a node is put back for another reason are told as well, and a roll that
 * was held has then stopped.
 */
export function judge(s: AnySnapshot): Verdict | undefined {
  const earlier = s.run.verdict
  const failed = measuredVerdict(s)
  const found = both(outOfLimits(s), failed) ?? closedMeanwhile(s)
  if (found === undefined) return earlier
  if (earlier === undefined) return found
  const worse = (found.keepOut && !earlier.keepOut) || (earlier.ofNode === true && found.ofNode !== true)
  return withFailures(
    worse ? { ...found, reasons: inTurn(earlier, found) } : reported(earlier, failed),
    requestsFailed(s),
  )
}

/** Of the same pass. */
function both(limit: Verdict | undefined, failed: Verdict | undefined): Verdict | undefined {
  if (limit === undefined || failed === undefined) return limit ?? failed
  return { kind: 'stopped', keepOut: limit.keepOut || failed.keepOut, reasons: inTurn(limit, failed) }
}

function reported(earlier: Verdict, failed: Verdict | undefined): Verdict {
  if (failed === undefined || earlier.keepOut || isOfTraffic(earlier)) return earlier
  const kind = earlier.kind === 'held' ? 'stopped' : earlier.kind
  return { ...earlier, kind, reasons: inTurn(earlier, failed) }
}

const inTurn = (earlier: Verdict, later: Verdict): readonly Reason[] => [
  ...earlier.reasons,
  ...later.reasons.filter(isNewTo(earlier)),
]

const isNewTo =
  ({ reasons }: Verdict) =>
  ({ code, object }: Reason): boolean =>
    code === 'RequestsFailed' || !reasons.some((reason) => reason.code === code && reason.object === object)

/** A step that has waited for too long, or, while it can still be put back, what holds it up. */
function outOfLimits(s: AnySnapshot): Verdict | undefined {
  if (!hasSubject(s)) return undefined
  const over = isOfMachine(s) ? overLimit(machineLadder(s), s) : nodeOverLimit(s)
  return over ?? (s.run.verdict === undefined && !isBeyondRestore(s) ? blockedLimit(s) : undefined)
}

function nodeOverLimit(s: NodeSnapshot): Verdict | undefined {
  const record = ownRecord(s)
  if (record === undefined) return undefined
  const replaced = recordReplaced(s)
  if (replaced !== undefined) return keptOut(replaced, [])
  const recorded = { ...s, record }
  return overLimit(ladderOf(recorded), recorded)
}
