import { selectorMatches } from '../../ground/model/label-selector.ts'
import type { Node } from '../../ground/model/node.ts'
import type { FoundDeployment } from '../../ground/model/owned/found-workload.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import { parseLabelSelector } from '../../ground/model/parse-label-selector.ts'
import { present } from '../../ground/model/present.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { WallMs } from '../../ground/model/time.ts'
import { MalformedReply, Untrusted } from '../../ground/model/untrusted.ts'
import { budgetNode } from '../../service/decide/budget/budget-node.ts'
import type { BudgetReading } from '../../service/decide/budget/budget-reading.ts'
import { othersSlot } from '../../service/decide/budget/owner-text.ts'
import { whoIsOut } from '../../service/decide/budget/who-is-out.ts'
import type { NodeGuard } from '../model/node-guard.ts'
import { type Followed, followedBy } from './followed.ts'
import type { GuardPod } from './found.ts'
import { foundGate } from './grant.ts'
import { guardedNodes } from './guarded-nodes.ts'
import type { Guarding, GuardSnapshot, GuardView, HoldVerdict } from './snapshot.ts'
import { guardOfAll } from './wanted-guard.ts'

/** A NodeGuard and the objects that were read for it. */
export interface FoundGuard {
  readonly guard: NodeGuard
  /** The spec has errors: existing guards stay and hold their nodes. */
  readonly isRefused?: true
  /** The DaemonSet that the guard follows. */
  readonly daemonSet?: OwnedObject
  /** Those that the guard controls. */
  readonly deployments: readonly FoundDeployment[]
  readonly gates: readonly OwnedObject[]
  /** Other budgets of the namespace. */
  readonly otherGates: readonly OwnedObject[]
  readonly pods: readonly GuardPod[]
  /** The last verdicts of the holds of a node that asks. */
  verdictsOf(node: string): readonly HoldVerdict[] | undefined
}

/** All that was read for a decision about a group. */
interface FoundGroup {
  readonly group: string
  readonly now: WallMs
  readonly isFresh: boolean
  readonly unknownForMs: number
  readonly outage: Reason | undefined
  readonly nodes: readonly Node[]
  /** Names of nodes that ask. The holds of the others are not read, since there may be thousands. */
  readonly asking: ReadonlySet<string>
  readonly budget: BudgetReading
  readonly holder: string
  readonly guards: readonly FoundGuard[]
  readonly strays: readonly GuardPod[]
  readonly refusedGuards: readonly string[]
  readonly requestedAt: GuardSnapshot['requestedAt']
  readonly waitedFrom: GuardSnapshot['waitedFrom']
  readonly refusals: GuardSnapshot['refusals']
}

export function groupSnapshot(found: FoundGroup): GuardSnapshot {
  const { group, now, isFresh, nodes, budget, holder, strays, refusedGuards, refusals } = found
  const { requestedAt, waitedFrom, unknownForMs } = found
  return {
    ...present({ outage: found.outage }),
    ...{
      group,
      now,
      isFresh,
      unknownForMs,
      strays,
      refusedGuards,
      requestedAt,
      waitedFrom,
      refusals,
      nodes: byName(nodes),
    },
    budget: {
      limit: budget.limit,
      fleet: nodes.length,
      ...present({ fault: budget.fault }),
      // No balancer is asked here. A node counts by its Node and by the slot that is held for it.
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
    guards: found.guards.map((one) => viewOf(one, found)),
  }
}

const NAMED = new WeakMap<readonly Node[], ReadonlyMap<string, Node>>()

function byName(nodes: readonly Node[]): ReadonlyMap<string, Node> {
  const named = NAMED.get(nodes) ?? new Map(nodes.map((node) => [node.name, node]))
  NAMED.set(nodes, named)
  return named
}

function viewOf(found: FoundGuard, { nodes, asking }: FoundGroup): GuardView {
  const { guard, daemonSet, deployments, gates } = found
  const followed = followedBy(guard, { daemonSet, nodes, deployments })
  const guarded = guardedNodes({ ...found, followed, nodes, asking, verdictsOf: (name) => found.verdictsOf(name) })
  const fleet = guard.spec.mode === 'PerNode' ? undefined : fleetOf(found, followed)
  const guardings = fleet === undefined ? guarded.flatMap(({ own }) => own ?? []) : [fleet]
  return {
    guard,
    ...(found.isRefused === true ? { isRefused: found.isRefused } : {}),
    isTargetGone: followed.isGone,
    foreignBudgets: foreignBudgets(found),
    nodes: guarded,
    ...present({ fleet }),
    surplus: {
      deployments: unused(deployments, guardings, ({ deployment }) => deployment),
      gates: unused(gates, guardings, ({ gate }) => gate?.object),
    },
  }
}

/** Objects that no guarding uses. Each is used once at most, so if the counts are equal, none is left. */
function unused<T extends object>(
  all: readonly T[],
  guardings: readonly Guarding[],
  of: (guarding: Guarding) => T | undefined,
): readonly T[] {
  const used = guardings.flatMap((one) => of(one) ?? [])
  if (used.length === all.length) return []
  const known = new Set(used)
  return all.filter((one) => !known.has(one))
}

function fleetOf({ guard, deployments, gates }: FoundGuard, followed: Followed): Guarding {
  const wanted = guardOfAll(guard, followed)
  const deployment = deployments.find(({ name }) => name === wanted.name)
  const gate = gates.find(({ name }) => name === wanted.name)
  return {
    wanted,
    ...present({ deployment }),
    ...(gate === undefined ? {} : { gate: foundGate(gate) }),
  }
}

/** Names of other budgets that select a pod of this guard. */
function foreignBudgets({ otherGates, pods }: FoundGuard): readonly string[] {
  const labels = pods.find(({ isFinished, deleting }) => !isFinished && !deleting)?.labels
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
