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

/** The input of a decision about the guards of a group. */
export interface GuardSnapshot {
  readonly group: string
  readonly now: WallMs
  /** All caches are fresh. */
  readonly isFresh: boolean
  /** For how long a cache has not been fresh. */
  readonly unknownForMs: number
  /** Why no node is granted so soon after an outage of the API server; absent where it was not away. */
  readonly outage?: Reason
  readonly budget: GuardBudget
  /** All Nodes, by name. A Node without a guard may still have the claim of the group. */
  readonly nodes: ReadonlyMap<string, Node>
  /** The guards without errors, and the refused ones. */
  readonly guards: readonly GuardView[]
  /** Deleted pods that our finalizer keeps although their NodeGuard is gone. */
  readonly strays: readonly GuardPod[]
  /** Names of the refused guards of the group. It is not known what they hold. */
  readonly refusedGuards: readonly string[]
  /** By node: when it began to ask. */
  readonly requestedAt: ReadonlyMap<string, WallMs>
  /** By node: from when its place in the queue counts, where its last grant ended unused. */
  readonly waitedFrom: ReadonlyMap<string, WallMs>
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
  /** The `slotIdentity` of the slots of this group. */
  readonly holder: string
}

/** A NodeGuard and its objects. */
export interface GuardView {
  readonly guard: NodeGuard
  /** The spec has errors: existing guards stay and hold their nodes. */
  readonly isRefused?: true
  /** The DaemonSet that it follows is gone. */
  readonly isTargetGone: boolean
  /** Budgets of others over the guard's pods. With two budgets over a pod, an eviction fails. */
  readonly foreignBudgets: readonly string[]
  /** Nodes that are to have a guard, or for which objects exist. */
  readonly nodes: readonly GuardedNode[]
  /** In mode Budget: its one Deployment and its one budget. */
  readonly fleet?: Guarding
  /** Objects of this guard that no node needs any more. */
  readonly surplus: { readonly deployments: readonly OwnedObject[]; readonly gates: readonly OwnedObject[] }
}

/** A Deployment of guards and the budget over its pods, as found and as wanted. */
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
  /** Absent: the Node is gone. */
  readonly node?: Node
  /** The node is to have a guard. */
  readonly isWanted: boolean
  /** Guards of this NodeGuard on the node that have not ended. */
  readonly pods: readonly GuardPod[]
  /** In mode PerNode. */
  readonly own?: Guarding
  /** The verdicts of the holds. Absent: they were not read yet, or the node does not ask. */
  readonly verdicts?: readonly HoldVerdict[]
}

/** The verdict of a hold on a node. */
export interface HoldVerdict {
  readonly hold: string
  readonly kind: 'clear' | 'held' | 'unknown'
  /** The evidence, as the end of a sentence: `1 volume is attached: pvc-1`. */
  readonly text: string
}
