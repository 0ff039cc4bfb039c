import { formatDuration } from '../../ground/model/duration.ts'
import type { Reason, ReasonCode } from '../../ground/model/reason.ts'
import type { AnyWaiting } from '../model/decision.ts'
import type { Verdict } from '../model/verdict.ts'
import type { Evidence } from './evidence.ts'
import { isHookUnwritten } from './hooks/hooks-due.ts'
import { isUnheard } from './stood-still.ts'
import { type AnySnapshot, type SubjectSnapshot, subjectOf } from './subject.ts'

/**
 * What is left once a node or machine has soaked: its hooks, a server that leads elsewhere by now, its record. All of it together has the
 * limit of the attach. Hooks that run have limits of their own.
 */
export function lastWork(s: AnySnapshot, { step, kind, reasons }: AnyWaiting): Pick<Evidence, 'lastWork'> {
  if (step !== 'soak' || !reasons.some(isLast) || isUnheard(s)) return {}
  const { passedAt = s.now, lastWork: { ms, reasons: before } = { ms: 0, reasons } } = s.evidence
  return { lastWork: { ms: ms + s.now - passedAt, reasons: kind === 'hold' ? reasons : before } }
}

const LAST: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  'HookDue',
  'BackInService',
  'ServerLedElsewhere',
  'RecordLost',
])
const isLast = (reason: Reason): boolean => LAST.has(reason.code) || isHookUnwritten(reason)

/** Why that is not done, once its limit is over. */
function overdue(s: SubjectSnapshot): readonly Reason[] {
  const { ms, reasons } = s.evidence.lastWork ?? { ms: 0, reasons: [] }
  if (ms < s.spec.attach.limitMs) return []
  const others = reasons.filter(({ code }) => code !== 'BackInService')
  return others.length === reasons.length ? reasons : [recordStays(s), ...others]
}

function recordStays(s: SubjectSnapshot): Reason {
  const { name } = subjectOf(s)
  const limit = formatDuration(s.spec.attach.limitMs)
  const text = `${name} is in service again, and its record could not be taken off within the limit (${limit})`
  return { code: 'RecordStays', object: name, text }
}

/** The node or machine serves on: nothing is known against it. */
export function lastWorkLimit(s: SubjectSnapshot): Verdict | undefined {
  const reasons = overdue(s)
  return reasons.length === 0 || s.run.verdict !== undefined ? undefined : { kind: 'held', keepOut: false, reasons }
}

/** It is left to the next process. What a verdict alone makes possible is still done. */
export const isLeftUndone = (s: SubjectSnapshot): boolean =>
  s.run.verdict !== undefined && overdue(s).some(({ code }) => code !== 'ServerLedElsewhere')
