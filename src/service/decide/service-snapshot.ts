import type { Node } from '../../ground/model/node.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { MonoMs, WallMs } from '../../ground/model/time.ts'
import type { BalancerSpec } from '../model/balancer-spec.ts'
import type { RecordedServer } from '../model/node-record.ts'
import type { ServiceEvidence } from './evidence.ts'
import type { InstanceSnapshot } from './instance-snapshot.ts'

/** All that decides whether one node is taken out of service and put back, whichever owner asks for it. */
export interface ServiceSnapshot {
  readonly now: MonoMs
  /** With its annotations as they were read last: claims are among them. */
  readonly node: Node
  /** Every node of the cluster, also this one: a recorded address may belong to another node now. */
  readonly nodes: readonly Node[]
  /** The owner whose claim is made and withdrawn, as the claim names it: `roll/RUN`. */
  readonly owner: string
  /** What moves the node's traffic. */
  readonly balancers: readonly BalancerSpec[]
  readonly instances: readonly InstanceSnapshot[]
  /** `address:port` → whether it answered at the last try. */
  readonly dataPorts: Readonly<Record<string, boolean>>
  readonly limits: {
    /** Sessions that are left when it is over are cut, or end with the node. */
    readonly idleLimitMs: number
    /** A server without a check of its own is attached only once the node's data port answers. */
    readonly dataPort: boolean
  }
  /** The servers of the node as they were recorded; empty where nothing was recorded. */
  readonly recorded: readonly RecordedServer[]
  /** When they were recorded. Absent where it is not known; then no timestamp counts for this cycle. */
  readonly recordedAt?: WallMs
  readonly evidence: ServiceEvidence
  /** The reboot that the node leaves for is announced, and that cannot be undone: from then on no guard waives the detach. */
  readonly announced: boolean
  readonly rebooted: boolean
  /** It is not known that the node can serve: its reboot is announced, or it was rebooted, and there was no proof since. */
  readonly unproven: boolean
  /** The node has to stay out for good. */
  readonly keepOut: boolean
  /** Nodes that the same owner takes out at the same time: none of them counts as one that serves. Absent: none. */
  readonly beside?: readonly Node[]
}

/** What the owner of the node has against going on; empty: it may. Asked only where something is to be done. */
export interface ServiceGuards {
  /** Against any action, also one that restores. */
  readonly maySend: () => readonly Reason[]
  /** Against a further disruptive action. */
  readonly mayDisrupt: () => readonly Reason[]
  /** Against taking out a server that serves, beside what its balancers show. */
  readonly mayTake: () => readonly Reason[]
}
