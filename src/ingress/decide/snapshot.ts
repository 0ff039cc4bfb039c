import type { Node } from '../../ground/model/node.ts'
import type { OutLimit } from '../../ground/model/out-limit.ts'
import type { ListedNodes } from '../../ground/model/owned/listed-nodes.ts'
import type { Refusals } from '../../ground/model/owned/refused-write.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { SeenSlot } from '../../ground/model/slot.ts'
import type { WallMs } from '../../ground/model/time.ts'
import type { NodeOut } from '../../service/decide/budget/snapshot.ts'
import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'
import type { KnownRollout } from './known-rollout.ts'
import type { IngressOp } from './op.ts'
import type { Unbegun } from './refusals.ts'
import type { RejectedRevision } from './rejected-revision.ts'

/** The input of a decision about an IngressDaemonSet. */
export interface IngressSnapshot {
  readonly object: IngressDaemonSet
  /** Why the object gives way to others: nothing new is begun, and running operations end. Absent: it does not. */
  readonly conflicts?: readonly Reason[]
  readonly now: WallMs
  /** All caches are fresh. */
  readonly isFresh: boolean
  /** Why nothing is begun so soon after an outage of the API server; absent where it was not away. */
  readonly outage?: Reason
  readonly revisions: IngressRevisions
  /** As the status has it from before. */
  readonly knownRollout?: KnownRollout
  readonly listedNodes?: ListedNodes
  /** Why the rollback that is asked for cannot be done. */
  readonly rollbackRefused?: Reason
  /** Absent: none was. */
  readonly refusals?: Refusals
  readonly unbegun?: Unbegun
  readonly budget: IngressBudget
  /** Each node that is eligible, has a mark of this object, or has a Deployment or a slot of it. */
  readonly nodes: readonly IngressNode[]
}

export const isGivingWay = ({ conflicts = [] }: Pick<IngressSnapshot, 'conflicts'>): boolean => conflicts.length > 0

interface IngressRevisions {
  /** Of the template as the object has it. */
  readonly desired: string
  /** The last one that all nodes had. */
  readonly current?: string
  /** The last revision that was rolled back. It is not rolled out again unless that is lifted. */
  readonly rejected?: RejectedRevision
  /** The revision that a person let go on after its canary nodes. */
  readonly promoted?: string
}

/** The node budget as it was read last. */
interface IngressBudget {
  readonly limit: OutLimit
  /** How many nodes the cluster has. */
  readonly fleet: number
  /** Why nothing may be begun: the budget makes no sense, or could not be read. */
  readonly fault?: Reason
  /** Of all nodes, by `whoIsOut` with the living slots of every owner, those of this controller among them. */
  readonly out: readonly NodeOut[]
  /** All slots that are held. */
  readonly slots: readonly SeenSlot[]
}

type Eligibility = 'Run' | 'Keep' | 'Leave'

/** Whether the node is to have pods of that revision. */
export const eligibilityAt = ({ eligibility, otherwise }: IngressNode, revision: string): Eligibility =>
  otherwise?.[revision] ?? eligibility

export interface IngressNode {
  readonly name: string
  /** Absent: it is gone, by an authoritative list. */
  readonly node?: Node
  /** `Run`: the node is to have pods. `Keep`: existing pods stay, and new ones would not be placed. `Leave`: the node is to have none. */
  readonly eligibility: Eligibility
  /** What differs from that at another revision. `eligibility` is by the one that the node has or gets. Absent: nothing. */
  readonly otherwise?: Readonly<Record<string, Eligibility>>
  /** The node or its pods go whatever is decided: the Node is deleted, is to be removed, or has a NoExecute taint. */
  readonly isGoing: boolean
  readonly deployment?: IngressDeployment
  /** Pods of this object that are on the node, also while they end. */
  readonly pods: number
  readonly slot: NodeSlot
  /** Absent: no agent answers for the node. */
  readonly agent?: AgentWord
  /** The health port at which a check of the node failed at rest, although its pods are ready. Absent: none did, or nothing is known. */
  readonly closedPort?: { readonly port: number }
  /** When the acknowledgement on the Node was first seen, by the clock of this process. */
  readonly acknowledgementSeen?: WallMs
  /** A person's request for a stuck node, which counts for that operation or revision alone. */
  readonly request?: { readonly kind: 'retry' | 'skip'; readonly of: string }
}

type NodeSlot =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'ours'
      readonly index: number
      readonly takenAt: WallMs
      /** Since when the object's claim is gone that was on the Node while the slot was held. */
      readonly withdrawnAt?: WallMs
      /** The operation of the slot, and since when it is gone: it was over, or others removed it. */
      readonly lost?: { readonly op: IngressOp; readonly since: WallMs }
    }
  /** Another living owner holds the slot for this node; the owner in words. */
  | { readonly kind: 'others'; readonly owner: string }

/** What the agent of a node says about claims. */
interface AgentWord {
  /** The id of the withdrawn claim since which the answer is good again, or would be without other owners. */
  readonly released?: { readonly id: string; readonly since: WallMs }
  readonly acknowledged?: {
    readonly id: string
    /** By the clock of this process. */
    readonly seen: WallMs
  }
  /** The owners of claims that it keeps on its disk from a Node before this one. Absent: of none, or the node is not on its way back. */
  readonly keptFor?: readonly string[]
}

/** The Deployment of a node, its pods and its gate. */
export interface IngressDeployment {
  /** Of the template that it has. */
  readonly revision: string
  readonly annotations: Readonly<Record<string, string>>
  /** spec.replicas. */
  readonly replicas: number
  readonly updated: number
  readonly ready: number
  readonly available: number
  /** Its controller has observed the current generation. */
  readonly isObserved: boolean
  /** Pods of an older template that still exist. */
  readonly oldPods: number
  /**
   * Pods that failed in the last ten minutes, and since the pods began to change or were tried again. For example, pods that the kubelet
   * rejects.
   */
  readonly failedPods: number
  /** Pods of the same time that the kubelet rejected because its machine shuts down. */
  readonly shutDownPods: number
  /** Pods that run, whether they are ready or not. */
  readonly runningPods: number
  /** A pod that does not start, and why, as its kubelet says. Absent: none says so. */
  readonly waiting?: string
  /** Whether its PodDisruptionBudget lets pods be evicted. */
  readonly gate: 'absent' | 'open' | 'closed'
  /** The Deployment was made for an earlier Node of this name. */
  readonly isOfEarlierNode?: true
  /** It has a deletion timestamp: its pods go, or a finalizer keeps it. */
  readonly isBeingDeleted?: true
}

/** On a Deployment whose pods were rejected too often: the revision, how often, and when (`rejection.ts`). */
export const REJECTED_ANNOTATION = 'evenkeel.dev/ingress-rejected'

/** On a Deployment whose update was given up by `onTimeout: Abort`: the revision. */
export const GAVE_UP_ANNOTATION = 'evenkeel.dev/ingress-gave-up'
