import type { Node } from '../../ground/model/node.ts'
import type { OutLimit } from '../../ground/model/out-limit.ts'
import type { FoundDeployment } from '../../ground/model/owned/found-workload.ts'
import type { Refusals } from '../../ground/model/owned/refused-write.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { SeenSlot } from '../../ground/model/slot.ts'
import type { WallMs } from '../../ground/model/time.ts'
import type { NodeOut } from '../../service/decide/budget/snapshot.ts'
import type { NodeGuard } from '../model/node-guard.ts'
import type { GuardPod } from './found.ts'
import type { WantedGuard } from './wanted-guard.ts'

/** All that a decision about the guards of a group goes by. */
export interface GuardSnapshot {
  readonly group: string
  readonly now: WallMs
  /** No cache is behind for longer than it may be. */
  readonly isFresh: boolean
  readonly budget: GuardBudget
  /** All Nodes, by name: one that has no guard any more may bear the claim of the group. */
  readonly nodes: ReadonlyMap<string, Node>
  /** Those that are there and make sense. */
  readonly guards: readonly GuardView[]
  /** Pods that were deleted and resist, and whose NodeGuard is gone. */
  readonly strays: readonly GuardPod[]
  /** Names of guards of the group that make no sense: what they hold is not known. */
  readonly refusedGuards: readonly string[]
  /** When nodes that ask began to, by name. */
  readonly requestedAt: ReadonlyMap<string, WallMs>
  /** By `guardActionKey`. */
  readonly refusals: Refusals
}

/** The node budget as it was read last. */
interface GuardBudget {
  readonly limit: OutLimit
  /** How many nodes the cluster has. */
  readonly fleet: number
  /** Why nothing may be begun: the budget makes no sense, or could not be read. */
  readonly fault?: Reason
  /** Of all nodes, by `whoIsOut` with the living slots of every owner, those of this controller among them. */
  readonly out: readonly NodeOut[]
  /** All slots that are held. */
  readonly slots: readonly SeenSlot[]
  /** The holder of the slots of this group, as their Leases say. */
  readonly holder: string
}

/** A NodeGuard with what is there for it. */
export interface GuardView {
  readonly guard: NodeGuard
  /** It makes no sense: what is there stays, and holds its nodes. */
  readonly isRefused?: true
  /** The DaemonSet that it follows is gone. */
  readonly isTargetGone: boolean
  /** Budgets of others over its pods: with two budgets, an eviction is answered with an error. */
  readonly foreignBudgets: readonly string[]
  /** Nodes that are to have a guard, or for which something is there. */
  readonly nodes: readonly GuardedNode[]
  /** In mode Budget: its one Deployment and its one budget. */
  readonly fleet?: Guarding
  /** Objects of this guard that are for nothing any more: Deployments first, then budgets. */
  readonly surplus: { readonly deployments: readonly OwnedObject[]; readonly gates: readonly OwnedObject[] }
}

/** A Deployment of guards and the budget over its pods: as they are, and as they are to be. */
export interface Guarding {
  readonly wanted: WantedGuard
  readonly deployment?: FoundDeployment
  readonly gate?: FoundGate
}

export interface FoundGate {
  readonly object: OwnedObject
  readonly isOpen: boolean
  readonly grant?: Grant
}

/** On an open budget: for which node, and since when. */
export interface Grant {
  readonly node: string
  readonly at: WallMs
}

export interface GuardedNode {
  readonly name: string
  /** Absent: it is gone. */
  readonly node?: Node
  /** It is to have a guard. */
  readonly isWanted: boolean
  /** Guards of this NodeGuard on the node that have not ended. */
  readonly pods: readonly GuardPod[]
  /** In mode PerNode. */
  readonly own?: Guarding
  /** What its holds say; absent: they were not read yet, or the node does not ask. */
  readonly verdicts?: readonly HoldVerdict[]
}

/** What a hold says of a node. */
export interface HoldVerdict {
  readonly hold: string
  readonly kind: 'clear' | 'held' | 'unknown'
  /** The evidence, as the end of a sentence: `1 volume is attached: pvc-1`. */
  readonly text: string
}
