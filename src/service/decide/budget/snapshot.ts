import type { ServerReading } from '../../model/balancer.ts'
import type { CordonGrants } from '../../model/cordon-grants.ts'

/** What the node budget goes by of a node. */
export interface BudgetNode {
  readonly name: string
  readonly addresses: readonly string[]
  /** Its Ready condition. */
  readonly ready: 'True' | 'False' | 'Unknown'
  readonly cordoned: boolean
  /** The roll whose record it bears; `unread`: nothing but the record was looked for. Absent: it bears none. */
  readonly recordOf?: RecordOwner
  /** The owners of its claims, in words; absent: there is none. */
  readonly claimedBy?: string
  /** What others announce: that it is being deleted, drained or removed, in words; absent: nothing. */
  readonly leaving?: string
  /** It bears the label that keeps nodes out of load balancers, as control planes of kubeadm do for good. */
  readonly excluded: boolean
}

type RecordOwner = { readonly run: string } | 'unreadable' | 'unread'

/** A balancer instance: only servers of these backends count. Without a reading it has not answered, and tells nothing. */
export interface BudgetPlace {
  readonly backends: readonly string[]
  readonly reading?: { readonly servers: readonly ServerReading[] }
}

/**
 * Which cordons take a node out:
 * - grants: those of the nodes that the brake names
 * - noBrake: those of all nodes with an agent that goes by them, and no other
 * - unknown: that cannot be read. What serves no more is seen by its servers
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

/** All that "who is out" goes by. */
export interface BudgetSnapshot {
  readonly nodes: readonly BudgetNode[]
  readonly places: readonly BudgetPlace[]
  readonly cordons: CordonsThatCount
  /** Whose nodes are about to leave, if they have not left yet. */
  readonly slots: readonly OthersSlot[]
  /** Names of nodes that were out until a moment ago: their balancers may not have heard of it yet. */
  readonly returning: ReadonlySet<string>
}

type OutKind = 'notReady' | 'recorded' | 'claimed' | 'detached' | 'down' | 'cordoned' | 'leaving' | 'slot' | 'returning'

/** Why a node serves nothing, or is about to; `text` goes on after the node's name. */
export interface WhyOut {
  readonly kind: OutKind
  readonly text: string
  /** The run whose record it is. */
  readonly run?: string
}

export interface NodeOut {
  /** `slot 1` where a slot is held that names no node. */
  readonly node: string
  /** One at least, the plainest first. */
  readonly why: readonly [WhyOut, ...WhyOut[]]
}
