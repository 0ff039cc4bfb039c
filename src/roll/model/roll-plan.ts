import type { PlanFinding } from '../../ground/model/plan-finding.ts'
import type { RunOrigin } from '../../ground/model/run-origin.ts'
import type { StopSpec } from './stop-spec.ts'
import type { TimeSpan } from './time-window.ts'

/** What `roll --dry-run` prints, and a roll asks a person to confirm. Nothing was changed for it. */
export interface RollPlan extends RunOrigin {
  /** The name of the roll file. */
  readonly cluster: string
  readonly nodes: readonly PlannedNode[]
  /** Machines of the load balancers that are rolled, in their order; absent: the file has none. */
  readonly hosts?: readonly PlannedHost[]
  /** With machines: whether these come before the nodes. */
  readonly hostsFirst?: true
  /** Chosen nodes, and machines of the load balancers, that need no reboot. */
  readonly skipped: readonly NodeWhy[]
  readonly unmatchedServers: readonly string[]
  readonly findings: readonly PlanFinding[]
  readonly load: readonly {
    readonly name: string
    readonly url: string
    readonly ratePerSecond: number
    readonly control: boolean
  }[]
  readonly checksPassed: number
  /** Component of the control plane → nodes that have a member of it. Absent: none is seen. */
  readonly members?: Readonly<Record<'kube-apiserver' | 'etcd', readonly string[]>>
  /** What the roll file allows before it stops. Absent: the first failed request stops. */
  readonly stop?: StopSpec
  /** How many nodes the file allows in work at a time. Absent: one. */
  readonly parallel?: number
  /** The DaemonSet of kured whose lock the roll takes, `namespace/name`. Absent: the roll takes no lock. */
  readonly kuredLock?: string
  /** How long the roll takes if nothing holds it, and the source of the estimate. */
  readonly estimate?: { readonly ms: number; readonly basis: string }
  /** Absent: the roll file has no time windows, or they are ignored. */
  readonly window?: WindowForecast
}

/** Which nodes are expected to be done in which time window. Machines of load balancers have no estimate. */
export interface WindowForecast {
  /** The zone in which times are shown. */
  readonly zone: string
  readonly onClose: 'finish' | 'restore'
  /** The first of the windows is open now. */
  readonly isOpen: boolean
  /**
   * In order, up to the last one that is needed. A window in which no node would be done has no nodes. For machines alone: the
   * first window.
   */
  readonly windows: readonly (TimeSpan & { readonly nodes: readonly string[] })[]
  /** Nodes that would be done in none of these windows. */
  readonly later: readonly string[]
}

/** A node, and why it is rolled or not. */
export interface NodeWhy {
  readonly node: string
  readonly why: string
}

/** A machine of a load balancer. */
export interface PlannedHost {
  readonly host: string
  readonly pair: string
  readonly instances: readonly string[]
  readonly bootId: string
  /** Virtual addresses that the machine has now. */
  readonly addresses: readonly string[]
  /** Why it needs the reboot; absent where that was not checked. */
  readonly needs?: string
}

export interface PlannedNode {
  readonly node: string
  readonly role: 'control plane' | 'worker'
  readonly address: string
  readonly bootId: string
  /** `backend/server on instance` for each server that leads here. */
  readonly detachFrom: readonly string[]
  readonly podsToMove: readonly string[]
  /** How many pods leave in each stage of the drain. */
  readonly stages: readonly number[]
  /** Why its machine needs the reboot; absent where that was not checked. */
  readonly needs?: string
  /** How long the node is expected to take. Absent where there are no time windows. */
  readonly estimateMs?: number
}
