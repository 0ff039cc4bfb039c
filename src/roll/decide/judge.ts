import type { Reason } from '../../ground/model/reason.ts'
import type { Verdict } from '../model/verdict.ts'
import { blockedLimit } from './blocked.ts'
import { hasCurrent, hasRebooted, ownIntent, ownRecord } from './node-snapshot.ts'
import { hostOutOfLimits } from './pair/host-limits.ts'
import { requestsFailed } from './requests-failed.ts'
import type { RollSnapshot } from './snapshot.ts'
import { attach } from './steps/attach.ts'
import { proof } from './steps/proof.ts'
import { reboot } from './steps/reboot.ts'
import { settle } from './steps/settle.ts'
import { soak } from './steps/soak.ts'
import { uncordon } from './steps/uncordon.ts'
import { measuredVerdict } from './stop/measured-verdict.ts'
import { type AnySnapshot, isOfHost } from './subject.ts'
import { closedMeanwhile } from './window/time-windows.ts'
import { withFailures } from './with-failures.ts'

/**
 * The stop rules, and the one thing that ends the work on a node or machine alone. A verdict sticks; a later one replaces it only where it is worse
 * for the node or machine under way, that is, where it can no longer be put back. What it says of failed requests is told anew as more is known of them.
 */
export function judge(s: AnySnapshot): Verdict | undefined {
  const standing = s.run.verdict
  const found = outOfLimits(s) ?? measuredVerdict(s) ?? closedMeanwhile(s)
  if (found === undefined) return standing
  if (standing === undefined) return found
  const worse = (found.keepOut && !standing.keepOut) || (standing.ofNode === true && found.ofNode !== true)
  const sticks = worse
    ? { ...found, reasons: [...standing.reasons, ...found.reasons.filter(isNewTo(standing))] }
    : standing
  return withFailures(sticks, requestsFailed(s))
}

const isNewTo =
  ({ reasons }: Verdict) =>
  ({ code, object }: Reason): boolean =>
    code === 'RequestsFailed' || !reasons.some((reason) => reason.code === code && reason.object === object)

const outOfLimits = (s: AnySnapshot): Verdict | undefined => (isOfHost(s) ? hostOutOfLimits(s) : nodeOutOfLimits(s))

function nodeOutOfLimits(s: RollSnapshot): Verdict | undefined {
  if (!hasCurrent(s)) return undefined
  const isGoingOn = s.run.verdict === undefined
  const record = ownRecord(s)
  if (record === undefined) return isGoingOn ? blockedLimit(s) : undefined
  const recorded = { ...s, record }
  const { attachingSince, attachedAt } = s.evidence
  if (attachingSince !== undefined) return attachedAt === undefined ? attach.limit?.(recorded) : soak.limit?.(recorded)
  if (hasRebooted(recorded)) return proof.limit?.(recorded) ?? uncordon.limit?.(recorded) ?? settle.limit?.(recorded)
  if (ownIntent(s) !== undefined) return reboot.limit?.(recorded)
  return isGoingOn ? blockedLimit(recorded) : settle.limit?.(recorded)
}
