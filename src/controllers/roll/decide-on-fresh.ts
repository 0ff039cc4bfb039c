import { decide } from '../../core/roll/decide.ts'
import type { RollSnapshot } from '../../core/roll/snapshot.ts'
import type { Action } from '../../model/action.ts'
import type { Decision } from '../../model/decision.ts'
import type { BudgetWatch } from './budget-watch.ts'

/**
 * Decides; what would use up the node budget is decided once more by a budget that was read after it was thought of: before
 * a slot is asked for, and again between the slot and the first touch, when all who asked at the same time see each other. The
 * second count is the one that lets a node be touched, so that it also goes by nodes that were listed for it. The first one
 * goes by the watch: where that lags a slot is held for a moment in vain.
 */
export async function decideOnFresh(
  s: RollSnapshot,
  budget: BudgetWatch | undefined,
  signal: AbortSignal,
): Promise<{ readonly snapshot: RollSnapshot; readonly decision: Decision }> {
  const decision = decide(s)
  if (budget === undefined || decision.kind !== 'act') return { snapshot: s, decision }
  const { actions } = decision
  if (actions.some(isFirstTouch)) {
    const { budget: facts, nodes = s.cluster.nodes } = await budget.recount(signal)
    return decidedOn({ ...s, budget: facts, cluster: { ...s.cluster, nodes } })
  }
  return actions.some(({ kind }) => kind === 'takeSlot')
    ? decidedOn({ ...s, budget: await budget.read(signal) })
    : { snapshot: s, decision }
}

const decidedOn = (snapshot: RollSnapshot) => ({ snapshot, decision: decide(snapshot) })

/** A record that is written again, since its Node was registered anew, stands for a node that is out already. */
const isFirstTouch = (action: Action): boolean => action.kind === 'writeRecord' && action.asOf !== undefined
