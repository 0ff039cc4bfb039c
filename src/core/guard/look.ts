import { selectorMatches } from '../../model/label-selector.ts'
import type { Node } from '../../model/node.ts'
import type { NodeGuard } from '../../model/node-guard.ts'
import type { OwnedObject } from '../../model/owned-object.ts'
import { parseLabelSelector } from '../../model/parse-label-selector.ts'
import { NODE_ANNOTATION } from '../../model/slot.ts'
import type { WallMs } from '../../model/time.ts'
import { MalformedReply, Untrusted } from '../../model/untrusted.ts'
import type { BudgetFacts } from '../budget/budget-facts.ts'
import { budgetNode } from '../budget/budget-node.ts'
import { othersSlot } from '../budget/owner-text.ts'
import { whoIsOut } from '../budget/who-is-out.ts'
import type { FoundDeployment } from '../owned/found-workload.ts'
import { type Followed, followedBy } from './followed.ts'
import type { GuardPod } from './found.ts'
import { foundGate } from './grant.ts'
import { claimOn } from './pass.ts'
import type {
  FoundGate,
  GuardedNode,
  Guarding,
  GuardSnapshot,
  GuardView,
  HoldVerdict,
  RefusedWrite,
} from './snapshot.ts'
import { guardOfAll, guardOfNode } from './wanted-guard.ts'

/** A NodeGuard with all that was read for it. */
export interface FoundGuard {
  readonly guard: NodeGuard
  /** It makes no sense: what is there stays, and holds its nodes. */
  readonly isRefused?: true
  /** Of the name that it follows. */
  readonly daemonSet?: OwnedObject
  /** Controlled by it. */
  readonly deployments: readonly FoundDeployment[]
  readonly gates: readonly OwnedObject[]
  /** Of its namespace, and not controlled by it. */
  readonly otherGates: readonly OwnedObject[]
  readonly pods: readonly GuardPod[]
  /** What the holds of a node that asks said when they were read last. */
  verdictsOf(node: string): readonly HoldVerdict[] | undefined
}

/** All that was read for a decision about a group. */
interface FoundGroup {
  readonly group: string
  readonly now: WallMs
  readonly isFresh: boolean
  readonly nodes: readonly Node[]
  readonly budget: BudgetFacts
  readonly holder: string
  readonly guards: readonly FoundGuard[]
  readonly refusedGuards: readonly string[]
  readonly requestedAt: GuardSnapshot['requestedAt']
  readonly refusals: ReadonlyMap<string, RefusedWrite>
}

export function lookAtGroup(found: FoundGroup): GuardSnapshot {
  const { group, now, isFresh, nodes, budget, holder, refusedGuards, requestedAt, refusals } = found
  const byName = new Map(nodes.map((node) => [node.name, node]))
  return {
    ...{ group, now, isFresh, refusedGuards, requestedAt, refusals, nodes: byName },
    budget: {
      limit: budget.limit,
      fleet: nodes.length,
      ...(budget.fault === undefined ? {} : { fault: budget.fault }),
      // No balancer is asked here: a node counts by what stands on it, and by the slot that is held for it.
      out: whoIsOut({
        nodes: nodes.map(budgetNode),
        places: [],
        cordons: budget.cordons,
        slots: budget.slots.filter(({ isStale }) => !isStale).map(othersSlot),
        returning: new Set(),
      }),
      slots: budget.slots,
      holder,
    },
    guards: found.guards.map((one) => viewOf(one, nodes, byName)),
  }
}

type Nodes = ReadonlyMap<string, Node>

function viewOf(found: FoundGuard, nodes: readonly Node[], byName: Nodes): GuardView {
  const { guard, daemonSet, deployments, gates } = found
  const followed = followedBy(guard, { daemonSet, nodes })
  const isPerNode = guard.spec.mode === 'PerNode'
  const pods = Map.groupBy(
    found.pods.filter(({ isFinished, nodeName }) => !isFinished && nodeName !== undefined),
    ({ nodeName = '' }) => nodeName,
  )
  const own = isPerNode ? perNode(found) : NONE
  // Its guard is gone by a grant, and the node is not back or gone yet.
  const isGranted = (node: Node): boolean => claimOn(node, guard.spec.group) !== undefined
  const names = new Set([...byName.keys(), ...own.keys(), ...pods.keys()])
  const guarded = [...names].flatMap((name): readonly GuardedNode[] => {
    const node = byName.get(name)
    const here = pods.get(name) ?? NO_PODS
    const there = own.get(name)
    const isWanted =
      node !== undefined && isToHave(followed, node, here.length > 0 || there !== undefined || isGranted(node))
    if (!isWanted && here.length === 0 && there === undefined) return []
    const verdicts = found.verdictsOf(name)
    return [
      {
        ...{ name, isWanted, pods: here },
        ...(node === undefined ? {} : { node }),
        ...(isPerNode ? { own: { wanted: guardOfNode(guard, followed, name), ...there } } : {}),
        ...(verdicts === undefined ? {} : { verdicts }),
      },
    ]
  })
  const fleet = isPerNode ? undefined : fleetOf(found, followed)
  const used = new Set(guarded.flatMap(({ own: of }) => [of?.deployment?.uid, of?.gate?.object.uid]))
  for (const one of [fleet?.deployment?.uid, fleet?.gate?.object.uid]) used.add(one)
  return {
    guard,
    ...(found.isRefused === true ? { isRefused: found.isRefused } : {}),
    isTargetGone: followed.isGone,
    foreignBudgets: foreignBudgets(found),
    nodes: guarded,
    ...(fleet === undefined ? {} : { fleet }),
    surplus: {
      deployments: deployments.filter(({ uid }) => !used.has(uid)),
      gates: gates.filter(({ uid }) => !used.has(uid)),
    },
  }
}

const NO_PODS: readonly GuardPod[] = []

type There = { readonly deployment?: FoundDeployment; readonly gate?: FoundGate }
const NONE: ReadonlyMap<string, There> = new Map()

/** A guard that is there stays on a node that takes no new one. */
function isToHave({ judge }: Followed, node: Node, isThere: boolean): boolean {
  const verdict = judge(node)
  return verdict === 'Run' || (verdict === 'Keep' && isThere)
}

/** Deployments and budgets of single nodes, by the node that each names. */
function perNode({ deployments, gates }: FoundGuard): ReadonlyMap<string, There> {
  const there = new Map<string, There>()
  for (const deployment of deployments) {
    const node = deployment.annotations[NODE_ANNOTATION]
    if (node !== undefined) there.set(node, { deployment })
  }
  for (const gate of gates) {
    const node = gate.annotations[NODE_ANNOTATION]
    if (node !== undefined) there.set(node, { ...there.get(node), gate: foundGate(gate) })
  }
  return there
}

function fleetOf({ guard, deployments, gates }: FoundGuard, followed: Followed): Guarding {
  const wanted = guardOfAll(guard, followed)
  const deployment = deployments.find(({ name }) => name === wanted.name)
  const gate = gates.find(({ name }) => name === wanted.name)
  return {
    wanted,
    ...(deployment === undefined ? {} : { deployment }),
    ...(gate === undefined ? {} : { gate: foundGate(gate) }),
  }
}

/** By name: those that select a pod of this guard as well. */
function foreignBudgets({ otherGates, pods }: FoundGuard): readonly string[] {
  const labels = pods.find(({ isFinished, isLeaving }) => !isFinished && !isLeaving)?.labels
  if (labels === undefined) return []
  return otherGates.filter((gate) => selects(gate, labels)).map(({ name }) => name)
}

function selects(gate: OwnedObject, labels: Readonly<Record<string, string>>): boolean {
  try {
    return selectorMatches(parseLabelSelector(new Untrusted(gate.content, gate.name).at('spec').at('selector')), labels)
  } catch (error) {
    if (error instanceof MalformedReply) return false
    throw error
  }
}
