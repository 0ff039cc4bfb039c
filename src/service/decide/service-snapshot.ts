import type { Node } from '../../ground/model/node.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { MonoMs, WallMs } from '../../ground/model/time.ts'
import type { BalancerSpec } from '../model/balancer-spec.ts'
import type { RecordedServer } from '../model/node-record.ts'
import type { ServiceEvidence } from './evidence.ts'
import type { InstanceSnapshot } from './instance-snapshot.ts'

/** All that taking one node out of service and putting it back goes by, whichever owner wants it: read before it is decided. */
export interface ServiceSnapshot {
  readonly now: MonoMs
  /** With its annotations as last read: claims stand there. */
  readonly node: Node
  /** Every node of the cluster, this one too: to one of them a recorded address may lead now. */
  readonly nodes: readonly Node[]
  /** Whose claim is ours to make and to withdraw, as it stands in the claim: `roll/RUN`. */
  readonly owner: string
  /** What moves the node's traffic. */
  readonly balancers: readonly BalancerSpec[]
  readonly instances: readonly InstanceSnapshot[]
  /** `address:port` → answered at the last try. */
  readonly dataPorts: Readonly<Record<string, boolean>>
  readonly limits: {
    /** Sessions that are left after it are cut, or end with the node. */
    readonly idleLimitMs: number
    /** A server without a check of its own is attached only once the node's data port answers. */
    readonly dataPort: boolean
  }
  /** Where it was served from, as it was before; nothing where it was not recorded. */
  readonly recorded: readonly RecordedServer[]
  /** When that was; absent where it cannot be told, and then no word of a clock is of this cycle. */
  readonly recordedAt?: WallMs
  readonly evidence: ServiceEvidence
  /** What it leaves for is announced, and nothing undoes that: from then on no guard waives the detach. */
  readonly announced: boolean
  readonly rebooted: boolean
  /** That it can serve is not known: its reboot is announced, or it was rebooted, and no proof was given since. */
  readonly unproven: boolean
  /** It is to stay out for good. */
  readonly keepOut: boolean
  /** Nodes that the same owner takes out at the same time: none of them counts as one that serves. Absent: there are none. */
  readonly beside?: readonly Node[]
}

/** What its owner has against going on: no reasons, and it may. Asked only where something is to be done. */
export interface ServiceGuards {
  /** Against sending anything at all, also what restores. */
  readonly maySend: () => readonly Reason[]
  /** Against a further effect that disrupts. */
  readonly mayDisrupt: () => readonly Reason[]
  /** Against taking a server out that serves, beside what its balancers tell. */
  readonly mayTake: () => readonly Reason[]
}
