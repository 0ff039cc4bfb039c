import { decide } from '../../core/roll/decide.ts'
import type { RollSnapshot } from '../../core/roll/snapshot.ts'
import type { Action } from '../../model/action.ts'
import type { Decision } from '../../model/decision.ts'
import type { BudgetWatch } from './budget-watch.ts'

/**
 * Decides; what would use up the node budget is decided once more by a budget that was read after it was thought of: before
 * a slot is asked for, and again between the slot and the first touch, when all who asked at the same time see each other.
 */
export async function decideOnFresh(
  s: RollSnapshot,
  budget: BudgetWatch | undefined,
  signal: AbortSignal,
): Promise<{ readonly snapshot: RollSnapshot; readonly decision: Decision }> {
  const decision = decide(s)
  if (budget === undefined || decision.kind !== 'act' || !decision.actions.some(usesBudget))
    return { snapshot: s, decision }
  const snapshot = { ...s, budget: await budget.read(signal) }
  return { snapshot, decision: decide(snapshot) }
}

/** A record that is written again, since its Node was registered anew, stands for a node that is out already. */
const usesBudget = (action: Action): boolean =>
  action.kind === 'takeSlot' || (action.kind === 'writeRecord' && action.asOf !== undefined)
