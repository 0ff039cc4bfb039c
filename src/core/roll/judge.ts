import type { Reason } from '../../model/reason.ts'
import type { MonoMs } from '../../model/time.ts'
import type { Verdict } from '../../model/verdict.ts'
import { unattached } from '../service/attach.ts'
import { judgedWindows } from './awaits-control.ts'
import { baselineGreen } from './guards.ts'
import { IN_COURSE } from './in-course.ts'
import { hasCurrent, hasRebooted, ownIntent, ownRecord, type RecordedSnapshot } from './node-snapshot.ts'
import { requestsFailed } from './requests-failed.ts'
import { retold } from './retold.ts'
import { serviceOf } from './service-of.ts'
import type { RollSnapshot } from './snapshot.ts'
import { unproven } from './steps/proof.ts'
import { unreturned } from './steps/reboot.ts'
import { unsettled } from './steps/settle.ts'

/**
 * The stop rules. A verdict sticks; a later one replaces it only where it is worse for the node under way, that is,
 * where the node can no longer be put back. What it says of failed requests is told anew as more is known of them.
 */
export function judge(s: RollSnapshot): Verdict | undefined {
  const standing = s.run.verdict
  const found = [outOfLimits(s), failedRequests(s)].find((verdict) => verdict !== undefined)
  if (found === undefined) return standing
  if (standing === undefined) return found
  const worse = found.keepOut && !standing.keepOut
  const sticks = worse ? { ...found, reasons: [...standing.reasons, ...found.reasons] } : standing
  return retold(sticks, requestsFailed(s))
}

/**
 * A failed request ends the roll, once its control has been heard. One since the node was begun to be put back takes it
 * out again.
 */
function failedRequests(s: RollSnapshot): Verdict | undefined {
  const windows = judgedWindows(s)
  if (windows.length === 0) return undefined
  const backSince = s.evidence.attachingSinceWall
  const keepOut = backSince !== undefined && windows.some((window) => window.lastBadAt >= backSince)
  return { kind: 'stopped', keepOut, reasons: requestsFailed(s) }
}

function outOfLimits(s: RollSnapshot): Verdict | undefined {
  if (!hasCurrent(s)) return undefined
  const record = ownRecord(s)
  if (record === undefined) return s.run.verdict === undefined ? blockedLimit(s) : undefined
  const recorded = { ...s, record }
  if (s.evidence.attachingSince !== undefined) return attachLimit(recorded)
  if (hasRebooted(recorded)) return backLimits(recorded)
  if (ownIntent(s) !== undefined) return returnLimit(recorded)
  return s.run.verdict === undefined ? blockedLimit(recorded) : restoreLimit(recorded)
}

/** Before the intent: what blocks may be waited for only so long; then everything is restored. */
function blockedLimit(s: RollSnapshot): Verdict | undefined {
  const { stuckSince, stuckReasons } = s.evidence
  if (stuckSince === undefined || stuckReasons.length === 0) return undefined
  if (s.now - stuckSince < stuckLimitMs(s)) return undefined
  return { kind: 'held', keepOut: false, reasons: stuckReasons }
}

/** What only takes its course may take longer than what somebody refuses. */
function stuckLimitMs({ evidence, spec }: RollSnapshot): number {
  const inCourse = evidence.stuckReasons.every(({ code }) => IN_COURSE.has(code))
  if (evidence.stuckReasons.some(({ code }) => code === 'BaselineNotGreen')) return spec.probe?.baselineLimitMs ?? 0
  return inCourse ? Math.max(spec.drain.stageLimitMs, spec.drain.blockedLimitMs) : spec.drain.blockedLimitMs
}

/** What is left of the wait for what holds now; undefined where nothing gives it up. */
export function stuckLimitLeftMs(s: RollSnapshot): number | undefined {
  const { stuckSince, stuckReasons } = s.evidence
  if (stuckSince === undefined || stuckReasons.length === 0) return undefined
  return Math.max(0, stuckLimitMs(s) - (s.now - stuckSince))
}

function returnLimit(s: RecordedSnapshot): Verdict | undefined {
  const since = s.evidence.awaySince
  if (since === undefined || s.now - since < s.spec.reboot.returnLimitMs) return undefined
  const { name } = s.current.node
  if (s.evidence.intentByUs && s.evidence.reboot === undefined) return keptOut(heldUp(name), s.evidence.stuckReasons)
  const isRefused = s.evidence.reboot?.answer.kind === 'refused'
  const reason = {
    code: 'NodeDidNotReturn',
    object: name,
    text: `${name} did not come back with another boot id within the limit`,
    next: isRefused
      ? `let ${name} be rebooted, or mend "reboot" in the file: evenkeel roll resume ${s.run.id} -f roll.yaml`
      : `start ${name} again, then: evenkeel roll resume`,
  }
  return keptOut(reason, s.evidence.stuckReasons.length > 0 ? s.evidence.stuckReasons : unreturned(s))
}

const heldUp = (name: string): Reason => ({
  code: 'RebootHeldUp',
  object: name,
  text: `the reboot of ${name} is announced, and could not be sent within the limit`,
  next: `cure what held it up, then: evenkeel roll resume (${name} was told nothing, and runs)`,
})

function backLimits(s: RecordedSnapshot): Verdict | undefined {
  const back = s.evidence.returned
  if (back !== undefined && s.now - back.at >= s.spec.reboot.returnLimitMs && unproven(s).length > 0) {
    return keptOut(
      { code: 'NotProven', object: s.current.node.name, text: `${s.current.node.name} came back, but without proof` },
      unproven(s),
    )
  }
  return restoreLimit(s)
}

function restoreLimit(s: RecordedSnapshot): Verdict | undefined {
  const since = s.evidence.settlingSince
  if (since === undefined || s.now - since < s.spec.settle.limitMs) return undefined
  return keptOut(
    { code: 'NotSettled', object: s.current.node.name, text: `${s.current.node.name} did not settle within the limit` },
    unsettled(s),
  )
}

function attachLimit(s: RecordedSnapshot): Verdict | undefined {
  const { attachingSince, attachedAt } = s.evidence
  if (attachedAt !== undefined) return soakLimit(s, attachedAt)
  if (attachingSince === undefined) return undefined
  if (s.now - attachingSince < s.spec.attach.limitMs) return undefined
  const { name } = s.current.node
  const text = `${name} was not in service again on every instance of its balancers within the limit`
  return keptOut({ code: 'NotUp', object: name, text }, unattached(serviceOf(s)))
}

/** In service, and traffic is red since before anything could be counted: a soak that cannot begin has failed. */
function soakLimit(s: RecordedSnapshot, attachedAt: MonoMs): Verdict | undefined {
  const red = baselineGreen(s).filter(({ code }) => code === 'BaselineNotGreen')
  if (red.length === 0 || s.now - attachedAt < (s.spec.probe?.baselineLimitMs ?? 0)) return undefined
  const { name } = s.current.node
  const text = `${name} is in service again, and traffic was not green within the limit`
  return keptOut({ code: 'NotSoaked', object: name, text }, red)
}

const keptOut = (reason: Reason, more: readonly Reason[]): Verdict => ({
  kind: 'stopped',
  keepOut: true,
  reasons: [reason, ...more],
})
