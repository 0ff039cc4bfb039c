import type { Sentence } from '../../../ground/model/sentence.ts'
import type { ServerReading } from '../../model/balancer.ts'
import type { CordonGrants } from '../../model/cordon-grants.ts'

/** What the node budget needs to know of a node. */
export interface BudgetNode {
  readonly name: string
  /** In the canonical form, since each pass compares those of all nodes. */
  readonly addresses: readonly string[]
  /** Its Ready condition. */
  readonly ready: 'True' | 'False' | 'Unknown'
  readonly cordoned: boolean
  /** The run whose record the node bears; `unread`: the record was not parsed. Absent: it bears none. */
  readonly recordOf?: RecordOwner
  /** The owners of its claims, in words; absent: there is none. */
  readonly claimedBy?: string
  /** What other programs announce, in words: that the node is being deleted, drained or removed. Absent: nothing. */
  readonly leaving?: string
  /** The node bears the label that keeps nodes out of load balancers, as kubeadm's control planes do for good. */
  readonly excluded: boolean
}

type RecordOwner = { readonly run: string } | 'unreadable' | 'unread'

/** A balancer instance, of which only servers of these backends count. Without a reading it has not answered. */
export interface BudgetPlace {
  readonly backends: readonly string[]
  readonly reading?: { readonly servers: readonly ServerReading[] }
}

/**
 * Which cordons take a node out:
 * - grants: those of the nodes that the brake names
 * - noBrake: those of all nodes with an agent that goes by cordons, and no other
 * - unknown: the grants cannot be read; a node that serves nothing is seen by its servers
 */
export type CordonsThatCount = CordonGrants | 'noBrake' | 'unknown'

/** A slot that another owner holds. */
export interface OthersSlot {
  readonly index: number
  /** Absent: its Lease names none. */
  readonly node?: string
  /** In words: `run 20260101T000000Z-abcd`. */
  readonly owner: string
}

/** All that `whoIsOut` needs to know. */
export interface BudgetSnapshot {
  readonly nodes: readonly BudgetNode[]
  readonly places: readonly BudgetPlace[]
  readonly cordons: CordonsThatCount
  /** Their nodes are about to leave, if they have not left yet. */
  readonly slots: readonly OthersSlot[]
  /** Names of nodes that were out until a moment ago: their balancers may not know it yet. */
  readonly returning: ReadonlySet<string>
}

type OutKind = 'notReady' | 'recorded' | 'claimed' | 'detached' | 'down' | 'cordoned' | 'leaving' | 'slot' | 'returning'

/** Why a node serves nothing, or is about to; `text` continues a sentence that begins with the node's name. */
export interface WhyOut {
  readonly kind: OutKind
  readonly text: string
  /** The run whose record it is. */
  readonly run?: string
  /** Where it may last for ever, and a person can help. */
  readonly next?: Sentence
}

export interface NodeOut {
  /** `slot 1` where a slot is held that names no node. */
  readonly node: string
  /** At least one reason, the simplest first. */
  readonly why: readonly [WhyOut, ...WhyOut[]]
}
