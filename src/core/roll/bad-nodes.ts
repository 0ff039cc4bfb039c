import type { Reason } from '../../model/reason.ts'
import { budgetNode } from '../budget/budget-node.ts'
import type { NodeOut } from '../budget/snapshot.ts'
import { whoIsOut } from '../budget/who-is-out.ts'
import { countedSlots, waitingForUs } from './node-budget.ts'
import type { NodeSnapshot } from './node-snapshot.ts'

/** Nodes that use up the budget as one of ours does; the node under way is never one. */
export function badNodes(s: NodeSnapshot): readonly NodeOut[] {
  const uncounted = waitingForUs(s)
  return whoIsOut({
    nodes: s.cluster.nodes.filter(({ name }) => name !== s.current.node.name && !uncounted.has(name)).map(budgetNode),
    places: s.instances,
    cordons: s.budget?.cordons ?? 'unknown',
    slots: countedSlots(s),
    returning: new Set(),
  })
}

/** The plainest of its reasons. */
export const badNode = ({ node, why: [first] }: NodeOut): Reason => ({
  code: first.kind === 'slot' ? 'SlotTaken' : 'OtherNodeBad',
  object: node,
  text: `${node} ${first.text}`,
})
