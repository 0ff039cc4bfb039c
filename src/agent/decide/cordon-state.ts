import type { AgentEvidence } from './evidence.ts'
import type { AgentSnapshot } from './snapshot.ts'

/** What a cordon of the node means: the node is to leave, or not, or not yet. */
export type CordonState = 'none' | 'counts' | 'young' | 'withheld' | 'unknown'

/**
 * Law: a cordon takes a node out only where there is no brake, or the brake names the node.
 * Law: a brake that cannot be read takes no node out and puts none back.
 */
export function cordonState({ evidence, spec, now }: AgentSnapshot): CordonState {
  const { cordonedSince, brake } = evidence
  if (cordonedSince === undefined) return 'none'
  if (brake === 'withheld') return 'withheld'
  if (!isLet(evidence)) return 'unknown'
  return now - cordonedSince >= spec.cordonGraceMs ? 'counts' : 'young'
}

/** A brake that cannot be read takes no node out. A node that left while it could be read is not put back. */
const isLet = ({ brake, cordonCounts }: AgentEvidence): boolean =>
  brake === 'none' || brake === 'granted' || cordonCounts === true
