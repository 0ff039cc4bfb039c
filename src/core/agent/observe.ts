import type { AgentEvidence } from './evidence.ts'
import { leaveReasons } from './leave-reasons.ts'
import type { AgentSnapshot } from './snapshot.ts'
import { standsAgainst } from './stands-against.ts'

/** Folds what is so now into what was seen before. Pure; run on every snapshot before it is judged. */
export function observe(s: AgentSnapshot): AgentEvidence {
  const { now, evidence } = s
  const { cordonedSince, leavingSince, clearSince, ...rest } = evidence
  const isCordoned = rest.node !== undefined && rest.node !== 'gone' && rest.node.unschedulable
  const cordon = isCordoned ? { cordonedSince: cordonedSince ?? now } : {}
  const seen: AgentSnapshot = { ...s, evidence: { ...rest, ...cordon } }
  if (leaveReasons(seen).length > 0) return { ...seen.evidence, leavingSince: leavingSince ?? now }
  return standsAgainst(seen).length > 0 ? seen.evidence : { ...seen.evidence, clearSince: clearSince ?? now }
}
