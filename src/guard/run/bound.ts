import type { LoopDecision } from '../../ground/model/loop-decision.ts'
import type { GuardAction } from '../decide/action.ts'

/** An action with the group that it was decided for. */
export interface Bound {
  readonly action: GuardAction
  readonly group: string
}

export function boundTo(group: string, decision: LoopDecision<GuardAction>): LoopDecision<Bound> {
  const bound = (actions: readonly GuardAction[]): readonly Bound[] => actions.map((action) => ({ action, group }))
  if (decision.kind === 'settled') return decision
  const { later = [] } = decision
  return decision.kind === 'act'
    ? { ...decision, actions: bound(decision.actions), later: bound(later) }
    : { ...decision, later: bound(later) }
}
