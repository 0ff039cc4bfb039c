import type { Answer } from '../../model/answer.ts'
import { formatDuration } from '../../model/duration.ts'
import type { Reason } from '../../model/reason.ts'
import { isStale } from './is-stale.ts'
import { leaveReasons } from './leave-reasons.ts'
import type { AgentSnapshot } from './snapshot.ts'
import { standsAgainst } from './stands-against.ts'

export interface AgentDecision {
  readonly answer: Answer
  readonly reasons: readonly Reason[]
  /** When the answer changes though nothing else does, in ms from now. */
  readonly changesInMs?: number
}

/** What is to be said of the node, and why. Pure; asked of a snapshot that was observed. */
export function decide(s: AgentSnapshot): AgentDecision {
  const decision = answerOf(s)
  const changesInMs = Math.min(decision.changesInMs ?? Number.POSITIVE_INFINITY, staleInMs(s))
  return Number.isFinite(changesInMs) ? { ...decision, changesInMs } : decision
}

function answerOf(s: AgentSnapshot): AgentDecision {
  if (s.override !== undefined) {
    const { answer, why } = s.override
    return { answer, reasons: [{ code: 'Overridden', text: `the override file says ${answer}: ${why}` }] }
  }
  const leaving = leaveReasons(s)
  if (leaving.length > 0) return leave(s, leaving)
  const against = standsAgainst(s)
  return against.length > 0 ? { answer: 'down', reasons: against } : comeBack(s)
}

function leave({ spec, evidence, now }: AgentSnapshot, reasons: readonly Reason[]): AgentDecision {
  if (spec.drainLimitMs === undefined) return { answer: 'drain', reasons }
  const leftMs = spec.drainLimitMs - (now - (evidence.leavingSince ?? now))
  if (leftMs > 0) return { answer: 'drain', reasons, changesInMs: leftMs }
  const text = `it was told to leave ${formatDuration(spec.drainLimitMs)} ago and more`
  return { answer: 'down', reasons: [...reasons, { code: 'DrainLimit', text }] }
}

/** What was said before is said until nothing stood against the node for long enough. */
function comeBack(s: AgentSnapshot): AgentDecision {
  const { spec, evidence, now } = s
  const cordon = borne(s)
  if (evidence.answer === 'up') return { answer: 'up', ...cordon }
  const leftMs = spec.upDelayMs - (now - (evidence.clearSince ?? now))
  if (leftMs <= 0) return { answer: 'up', ...cordon }
  const text = `nothing stands against it since less than ${formatDuration(spec.upDelayMs)}`
  return { answer: evidence.answer, reasons: [{ code: 'Returning', text }], changesInMs: leftMs }
}

/** A cordon that does not count yet. */
function borne(s: AgentSnapshot): Omit<AgentDecision, 'answer'> {
  const { spec, evidence, now } = s
  const { cordonedSince } = evidence
  if (isStale(s)) return { reasons: [{ code: 'ApiLongAway', text: 'the API server was not heard for too long' }] }
  if (cordonedSince === undefined) return { reasons: [{ code: 'InService', text: 'nothing stands against it' }] }
  const text = `it is cordoned since less than ${formatDuration(spec.cordonGraceMs)}`
  return { reasons: [{ code: 'CordonYoung', text }], changesInMs: spec.cordonGraceMs - (now - cordonedSince) }
}

function staleInMs({ spec, unheardSince, now }: AgentSnapshot): number {
  if (spec.stale === undefined || unheardSince === undefined) return Number.POSITIVE_INFINITY
  const leftMs = spec.stale.afterMs - (now - unheardSince)
  return leftMs > 0 ? leftMs : Number.POSITIVE_INFINITY
}
