import { formatDuration } from '../../ground/model/duration.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { Answer } from '../../service/model/answer.ts'
import { cordonState } from './cordon-state.ts'
import { apiLongAway, isStale } from './is-stale.ts'
import { leaveReasons } from './leave-reasons.ts'
import type { AgentSnapshot } from './snapshot.ts'
import { standsAgainst } from './stands-against.ts'

export interface AgentDecision {
  readonly answer: Answer
  readonly reasons: readonly Reason[]
  /** In how many ms from now the answer changes even if nothing else does. */
  readonly changesInMs?: number
}

/**
 * What is to be said of the node, and why. Pure; asked of a snapshot that was observed.
 *
 * Law: an API server that is away changes no answer of an agent, unless its options say so.
 * Law: an agent never decides by the Ready condition of its node.
 */
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
  const text = `the node has been draining for longer than the drain limit (${formatDuration(spec.drainLimitMs)})`
  return { answer: 'down', reasons: [...reasons, { code: 'DrainLimit', text }] }
}

/** The agent repeats its last answer until the node was clear for long enough. */
function comeBack(s: AgentSnapshot): AgentDecision {
  const { spec, evidence, now } = s
  const cordon = borne(s)
  if (evidence.answer === 'up') return { answer: 'up', ...cordon }
  // The machine has just booted and is out: the agent will soon learn from the brake whether the node may leave.
  const isBrakeAwaited = evidence.brake === undefined && cordonState(s) === 'unknown' && !isStale(s)
  if (isBrakeAwaited) return { answer: evidence.answer, ...cordon }
  const leftMs = spec.upDelayMs - (now - (evidence.clearSince ?? now))
  if (leftMs <= 0) return { answer: 'up', ...cordon }
  const text = `the node has been ready to serve for less than the delay (${formatDuration(spec.upDelayMs)})`
  return { answer: evidence.answer, reasons: [{ code: 'Returning', text }], changesInMs: leftMs }
}

/** A cordon that does not count, or not yet. */
function borne(s: AgentSnapshot): Omit<AgentDecision, 'answer'> {
  if (isStale(s) && s.spec.stale !== undefined) return { reasons: [apiLongAway(s.spec.stale.afterMs)] }
  switch (cordonState(s)) {
    case 'withheld':
      return { reasons: [NOT_GRANTED] }
    case 'unknown':
      return { reasons: [BRAKE_UNKNOWN] }
    case 'young':
      return young(s)
    default:
      return { reasons: [{ code: 'InService', text: 'nothing keeps the node out' }] }
  }
}

const NOT_GRANTED: Reason = {
  code: 'CordonNotGranted',
  text: 'the node is cordoned, and its cordon is not granted',
  next: 'uncordon other nodes, or wait until they are back',
}

const BRAKE_UNKNOWN: Reason = {
  code: 'BrakeUnknown',
  text: 'the node is cordoned, and it is not known whether its cordon is granted',
  next: 'see trouble in /healthz: the ConfigMap evenkeel-cordon-grants cannot be read, or is malformed',
}

function young({ spec, evidence: { cordonedSince }, now }: AgentSnapshot): Omit<AgentDecision, 'answer'> {
  const text = `the node has been cordoned for less than the grace (${formatDuration(spec.cordonGraceMs)})`
  const changesInMs = spec.cordonGraceMs - (now - (cordonedSince ?? now))
  return { reasons: [{ code: 'CordonYoung', text }], changesInMs }
}

function staleInMs({ spec, unheardSince, now }: AgentSnapshot): number {
  if (spec.stale === undefined || unheardSince === undefined) return Number.POSITIVE_INFINITY
  const leftMs = spec.stale.afterMs - (now - unheardSince)
  return leftMs > 0 ? leftMs : Number.POSITIVE_INFINITY
}
