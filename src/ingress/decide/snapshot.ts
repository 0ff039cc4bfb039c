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

/** All that a decision about an IngressDaemonSet goes by. */
export interface IngressSnapshot {
  readonly object: IngressDaemonSet
  /** Why it gives way to other objects: nothing new is begun, and what is under way ends. Absent: it does not. */
  readonly conflicts?: readonly Reason[]
  readonly now: WallMs
  /** No cache is behind for longer than it may be. */
  readonly isFresh: boolean
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
  /** Each node that is eligible, or bears something of this object, or was one for which a Deployment is there. */
  readonly nodes: readonly IngressNode[]
}

interface IngressRevisions {
  /** Of the template as the object has it. */
  readonly desired: string
  /** The last one that all nodes had. */
  readonly current?: string
  /** The last one that a rollback left; it is not rolled out again, unless that is lifted. */
  readonly rejected?: RejectedRevision
  /** A person has let the rollout of this one go on after its canary nodes. */
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

export interface IngressNode {
  readonly name: string
  /** Absent: it is gone, by an authoritative list. */
  readonly node?: Node
  /** `Run`: pods are to be there; `Keep`: those that are there stay, new ones would not be placed; `Leave`: none are to be. */
  readonly eligibility: 'Run' | 'Keep' | 'Leave'
  /** The node, or its pods, go whatever is decided: it is deleted, removed, or tainted with NoExecute. */
  readonly isGoing: boolean
  readonly deployment?: IngressDeployment
  /** Pods of this object that are on the node, also while they end. */
  readonly pods: number
  readonly slot: NodeSlot
  /** Absent: no agent answers for the node. */
  readonly agent?: AgentWord
  /** When the acknowledgement that stands on the Node was first seen, by the clock of this process. */
  readonly acknowledgementSeen?: WallMs
  /** What a person wants of a node that is stuck; it counts for that operation, or that revision, alone. */
  readonly request?: { readonly kind: 'retry' | 'skip'; readonly of: string }
}

type NodeSlot =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'ours'
      readonly index: number
      readonly takenAt: WallMs
      /** The claim of this object stood on the Node while it was held, and is gone since then. */
      readonly withdrawnAt?: WallMs
      /** The operation that it was held for is gone since then: it was over, or others removed it. */
      readonly lost?: { readonly op: IngressOp; readonly since: WallMs }
    }
  /** It is held for this node by an owner that lives; in words. */
  | { readonly kind: 'others'; readonly owner: string }

/** What the agent of a node says of claims. */
interface AgentWord {
  /** The id of a claim without which it gives a good answer again, or would but for others. */
  readonly released?: { readonly id: string; readonly since: WallMs }
  readonly acknowledged?: {
    readonly id: string
    /** By the clock of this process. */
    readonly seen: WallMs
  }
}

/** The Deployment of a node, with what stands beside it. */
export interface IngressDeployment {
  /** Of the template that it has. */
  readonly revision: string
  readonly annotations: Readonly<Record<string, string>>
  /** spec.replicas. */
  readonly replicas: number
  readonly updated: number
  readonly ready: number
  readonly available: number
  /** Its controller has seen what it says now. */
  readonly isObserved: boolean
  /** Pods of an older template that are still there. */
  readonly oldPods: number
  /**
   * Pods that failed in the last ten minutes, since its pods began to change, and since they were tried again; such as those that the
   * kubelet rejects.
   */
  readonly failedPods: number
  /** Pods of the same time that the kubelet rejected because its machine goes down. */
  readonly shutDownPods: number
  /** Pods that run, whether they are ready or not. */
  readonly runningPods: number
  /** Whether its PodDisruptionBudget lets pods be evicted. */
  readonly gate: 'absent' | 'open' | 'closed'
  /** It was made for an earlier Node of this name. */
  readonly isOfEarlierNode?: true
}

/** On a Deployment whose pods were rejected too often: the revision, how often, and when (`rejection.ts`). */
export const REJECTED_ANNOTATION = 'evenkeel.dev/ingress-rejected'

/** On a Deployment whose update was given up by `onTimeout: Abort`: the revision. */
export const GAVE_UP_ANNOTATION = 'evenkeel.dev/ingress-gave-up'
