import type { LoopDecision } from '../../ground/model/loop-decision.ts'
import type { Finding } from '../../ground/model/schema/finding.ts'
import { decideObject, type ObjectLook } from '../decide/decide-object.ts'
import type { ObjectAction } from '../decide/household.ts'
import type { CheckedIngress } from '../decide/ingress-kind.ts'
import type { IngressLook } from '../decide/look.ts'

/** What a pass goes by. */
export type Seen = ObjectLook & {
  readonly object: CheckedIngress
  readonly key: string
  /** What is to be said and does not refuse the object. */
  readonly doubts: readonly Finding[]
}

/** An action with what it was decided by. */
export interface Bound {
  readonly action: ObjectAction
  readonly look: IngressLook
  readonly key: string
}

export function decidePass(seen: Seen): LoopDecision<Bound> {
  const decision = decideObject(seen)
  if (decision.kind === 'settled') return decision
  const { look, key } = seen
  const { later = [], ...rest } = decision
  if (look === undefined) return rest.kind === 'hold' ? rest : { kind: 'settled', reasons: rest.reasons }
  const bound = (actions: readonly ObjectAction[]): readonly Bound[] => actions.map((action) => ({ action, look, key }))
  return rest.kind === 'act'
    ? { ...rest, actions: bound(rest.actions), later: bound(later) }
    : { ...rest, later: bound(later) }
}

/** By caches that are behind nothing is wanted, and no refusal is over. */
export const isKnown = (seen: Seen): boolean => seen.kind === 'refused' || seen.look.snapshot.isFresh

/** What is wanted by it, whether it is done in this pass or later. */
export const wantedBy = (decision: LoopDecision<Bound>): readonly ObjectAction[] =>
  decision.kind === 'settled'
    ? []
    : [...(decision.kind === 'act' ? decision.actions : []), ...(decision.later ?? [])].map(({ action }) => action)
