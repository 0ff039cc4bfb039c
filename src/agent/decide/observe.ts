import { cordonState } from './cordon-state.ts'
import type { AgentEvidence } from './evidence.ts'
import { leaveReasons } from './leave-reasons.ts'
import type { AgentSnapshot } from './snapshot.ts'
import { standsAgainst } from './stands-against.ts'

function withCordon(s: AgentSnapshot): AgentSnapshot {
  const { cordonCounts: _before, ...evidence } = s.evidence
  return { ...s, evidence: cordonState(s) === 'counts' ? { ...evidence, cordonCounts: true } : evidence }
}

/**
 * A grant is for one cordon. Once that is over, the brake gives it to another node: the next cordon has to hear of its own, also where the
 * watch of the grants has gone silent.
 */
function withoutPastGrant(evidence: AgentEvidence): AgentEvidence {
  const { node, cordonedSince, brake } = evidence
  const isOver = cordonedSince !== undefined && (node === 'gone' || node?.unschedulable === false)
  return isOver && brake === 'granted' ? { ...evidence, brake: 'unknown' } : evidence
}

/**
 * A cordon begins while the brake is unknown. The grants have to be read anew: where they name the node for this cordon already, the
 * brake does not write them again.
 */
export const isGrantForgotten = (before: AgentEvidence, after: AgentEvidence): boolean =>
  before.cordonedSince === undefined && after.cordonedSince !== undefined && after.brake === 'unknown'

/** Folds the present readings into the evidence. Pure; runs on every snapshot before it is judged. */
export function observe(s: AgentSnapshot): AgentEvidence {
  const { now } = s
  const { cordonedSince, cordonCounts, leavingSince, clearSince, ...rest } = withoutPastGrant(s.evidence)
  const isCordoned = rest.node !== undefined && rest.node !== 'gone' && rest.node.unschedulable
  const before = cordonCounts === undefined ? {} : { cordonCounts }
  const cordon = isCordoned ? { cordonedSince: cordonedSince ?? now, ...before } : {}
  const seen = withCordon({ ...s, evidence: { ...rest, ...cordon } })
  if (leaveReasons(seen).length > 0) return { ...seen.evidence, leavingSince: leavingSince ?? now }
  return standsAgainst(seen).length > 0 ? seen.evidence : { ...seen.evidence, clearSince: clearSince ?? now }
}
