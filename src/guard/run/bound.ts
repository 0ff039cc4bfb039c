import type { LoopDecision } from '../../ground/model/loop-decision.ts'
import type { GuardAction } from '../decide/action.ts'
import type { GuardSnapshot } from '../decide/snapshot.ts'

/** An action with what it was decided by. */
export interface Bound {
  readonly action: GuardAction
  readonly snapshot: GuardSnapshot
}

export function boundTo(snapshot: GuardSnapshot, decision: LoopDecision<GuardAction>): LoopDecision<Bound> {
  const bound = (actions: readonly GuardAction[]): readonly Bound[] => actions.map((action) => ({ action, snapshot }))
  if (decision.kind === 'settled') return decision
  const { later = [] } = decision
  return decision.kind === 'act'
    ? { ...decision, actions: bound(decision.actions), later: bound(later) }
    : { ...decision, later: bound(later) }
}
