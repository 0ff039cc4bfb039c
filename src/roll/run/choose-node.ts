import { isControlPlane, type Node } from '../../ground/model/node.ts'
import { present } from '../../ground/model/present.ts'
import type { BudgetWatch } from '../../service/run/budget-watch.ts'
import { carriesMember } from '../decide/control-plane.ts'
import { mayBeOut } from '../decide/node-budget.ts'
import { ownNodeLast } from '../decide/own-pod.ts'
import type { ClusterView } from './cluster-view.ts'
import { recordOf } from './last-seen.ts'
import type { RunState } from './run-state.ts'

interface ChoosingParts {
  readonly run: RunState
  readonly view: Pick<ClusterView, 'reading' | 'node'>
  readonly budget?: Pick<BudgetWatch, 'facts'>
}

/** `later`: nodes are left, and one that is in work in another lane has to end first. */
type Choice = { readonly kind: 'node'; readonly name: string } | { readonly kind: 'later' }

/**
 * The node that bears a record of this run, or has lost it to people or to another run, whichever it is (but one that this process has just taken it from: a watch
 * that lags or is cut still shows it, and the node must not be begun again); else the next of the order that there is,
 * while no verdict stands. `beside`: nodes that other lanes of this process have in work. Undefined: nothing is left to do.
 */
export function chooseNode(parts: ChoosingParts, beside: readonly string[] = []): Choice | undefined {
  const found = bearing(parts, beside)
  if (found !== undefined) return { kind: 'node', name: found }
  // Which nodes bear a record is not known yet, and one that is out goes first.
  if (beside.length > 0 && parts.view.reading().unlisted !== undefined) return LATER
  const { run, view } = parts
  if (run.verdict !== undefined) return undefined
  const done = new Set(run.done)
  const order = ownNodeLast(run.order, run.ownPod)
  const left = order.filter((name) => !done.has(name) && !beside.includes(name) && view.node(name) !== undefined)
  if (left.length === 0) return undefined
  const name = left.find((candidate) => mayBeBeside(parts, candidate, beside))
  return name === undefined ? LATER : { kind: 'node', name }
}

const LATER: Choice = { kind: 'later' }

// The nodes are searched only where none is under way: there may be thousands.
const bearing = ({ run, view }: ChoosingParts, beside: readonly string[]): string | undefined =>
  view
    .reading()
    .nodes.find((node) => isBegun(run, node) && !run.settledHere.includes(node.name) && !beside.includes(node.name))
    ?.name

const isBegun = ({ id, recordsBefore = {} }: RunState, node: Node): boolean =>
  recordOf(node)?.run === id || Object.hasOwn(recordsBefore, node.name)

const ZONE_LABEL = 'topology.kubernetes.io/zone'

/**
 * Whether a node is begun while others of this run are in work: as many as the budget allows, of one zone where the file
 * asks for that, and of the control plane one at a time. The node of the roll's own pod is begun alone: the process moves.
 */
function mayBeBeside(parts: ChoosingParts, name: string, beside: readonly string[]): boolean {
  if (beside.length === 0) return true
  const { run, view, budget } = parts
  if (beside.length >= (run.spec.parallel?.nodes ?? 1)) return false
  if (run.ownPod !== undefined && [name, ...beside].includes(run.ownPod.node)) return false
  const read = budget?.facts()
  const limit = mayBeOut({ spec: run.spec, cluster: view.reading(), ...present({ budget: read }) })
  if (beside.length >= limit) return false
  const node = view.node(name)
  return node !== undefined && beside.every((other) => goTogether(parts, node, view.node(other)))
}

/** Of a node that is gone nothing is known. */
function goTogether({ run, view }: ChoosingParts, node: Node, other: Node | undefined): boolean {
  if (other === undefined) return false
  const { pods } = view.reading()
  // The pod of a member is missing for a while where an upgrade moves its file.
  const planned = Object.values(run.members ?? {}).flat()
  const isOfPlane = (one: Node): boolean =>
    isControlPlane(one) || planned.includes(one.name) || carriesMember(pods, one.name)
  if (isOfPlane(node) && isOfPlane(other)) return false
  return run.spec.parallel?.oneZone !== true || zoneOf(node) === zoneOf(other)
}

const zoneOf = ({ labels }: Node): string => labels[ZONE_LABEL] ?? ''
