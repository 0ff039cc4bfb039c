import { present } from '../../ground/model/present.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { budgetNodes } from '../../service/decide/budget/budget-node.ts'
import type { NodeOut } from '../../service/decide/budget/snapshot.ts'
import { whoIsOut } from '../../service/decide/budget/who-is-out.ts'
import { countedSlots, lives, slotsAhead, waitingForUs } from './node-budget.ts'
import type { NodeSnapshot } from './node-snapshot.ts'
import { waysBack } from './ways-back.ts'

/** Nodes that use up the budget like one of ours; the node under way is never among them. */
export function badNodes(s: NodeSnapshot): readonly NodeOut[] {
  const uncounted = waitingForUs(s)
  return whoIsOut({
    nodes: budgetNodes(s.cluster.nodes).filter(({ name }) => name !== s.current.node.name && !uncounted.has(name)),
    places: s.instances,
    cordons: s.budget?.cordons ?? 'unknown',
    slots: countedSlots(s),
    returning: new Set(),
  })
}

/**
 * Nodes that are away or about to go, for whichever owner, by name, with the reason: what runs on them is as good as gone, though it
 * still reads Ready. A node that only its balancers or a cordon keep out runs on.
 */
export function nodesGoing(s: NodeSnapshot): ReadonlyMap<string, string> {
  const uncounted = waitingForUs(s)
  const going = whoIsOut({
    nodes: budgetNodes(s.cluster.nodes).filter(({ name }) => name !== s.current.node.name && !uncounted.has(name)),
    places: [],
    cordons: 'unknown',
    slots: slotsAhead(s).filter(({ node }) => node === undefined || !uncounted.has(node)),
    returning: new Set(),
  })
  return new Map(going.map(({ node, why: [first] }) => [node, `${node} ${first.text}`]))
}

/** The simplest of the node's reasons, with what helps, as where a run has left it behind; a run that lives puts it back by itself. */
export function badNode(s: NodeSnapshot, { node, why: [first] }: NodeOut): Reason {
  const code = first.kind === 'slot' ? 'SlotTaken' : 'OtherNodeBad'
  const reason = { code, object: node, text: `${node} ${first.text}`, ...present({ next: first.next }) } as const
  return first.run === undefined || lives(s, first.run) ? reason : { ...reason, next: waysBack(first.run) }
}
