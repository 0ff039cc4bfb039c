import { present } from '../../../ground/model/present.ts'
import type { BudgetNode, BudgetSnapshot, NodeOut } from '../../../service/decide/budget/snapshot.ts'
import { whoIsOut } from '../../../service/decide/budget/who-is-out.ts'
import type { FleetNode } from '../../model/fleet-node.ts'

/** A FleetNode never changes, and each pass asks for all of them. */
const OUT = new WeakMap<FleetNode, boolean>()
const BUDGET_NODES = new WeakMap<FleetNode, BudgetNode>()

/** The node is out for a reason that needs no grant. */
export function isOutByItself(node: FleetNode): boolean {
  const known = OUT.get(node)
  if (known !== undefined) return known
  const isOut = outByThemselves([node], new Set()).length > 0
  OUT.set(node, isOut)
  return isOut
}

/** The nodes of a fleet that are out without a granted cordon. `returning`: the names of nodes that were out a moment ago. */
export const outByThemselves = (nodes: readonly FleetNode[], returning: ReadonlySet<string>): readonly NodeOut[] =>
  fleetOut(nodes, { returning, cordons: 'unknown' })

/** All nodes of a fleet that are out. */
export const fleetOut = (
  nodes: readonly FleetNode[],
  known: Pick<BudgetSnapshot, 'returning' | 'cordons'>,
): readonly NodeOut[] => whoIsOut({ ...known, nodes: nodes.map(budgetNode), places: [], slots: [] })

/** The brake queries no balancer: it knows only what the API says of a node. */
function budgetNode(node: FleetNode): BudgetNode {
  const known = BUDGET_NODES.get(node) ?? newBudgetNode(node)
  BUDGET_NODES.set(node, known)
  return known
}

function newBudgetNode({ name, unschedulable, deleting, leaves, ready, recorded }: FleetNode): BudgetNode {
  const leaving = deleting ? 'is being deleted' : leaves ? 'leaves for a reason that needs no grant' : undefined
  return {
    name,
    addresses: [],
    ready: ready ? 'True' : 'False',
    cordoned: unschedulable,
    ...(recorded === true ? { recordOf: 'unread' } : {}),
    ...present({ leaving }),
    excluded: false,
  }
}
