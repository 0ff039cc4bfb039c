import type { LabelSelector } from '../../ground/model/label-selector.ts'
import type { ObjectRef } from '../../ground/model/object-ref.ts'
import type { OutLimit } from '../../ground/model/out-limit.ts'
import type { ProbeTarget } from '../../ground/model/probe.ts'
import type { RebootNeedSpec } from '../../ground/model/reboot-need.ts'
import type { BalancerSpec } from '../../service/model/balancer-spec.ts'
import type { GateSpec } from './gate-spec.ts'
import type { HostsSpec } from './host-pair.ts'
import type { HookSpec } from './notify-spec.ts'
import type { SilenceSpec } from './silence-spec.ts'
import type { StepHook } from './step-hook.ts'
import type { StopSpec } from './stop-spec.ts'
import type { TimeWindowSpec } from './time-window.ts'

type RebootSpec =
  | { readonly kind: 'ssh'; readonly configFile?: string; readonly user?: string; readonly command: readonly string[] }
  /**
   * Run on this machine without a shell; `{node}`, `{address}` and `{bootId}` are replaced in each argument. The command may
   * act only on that boot id.
   */
  | { readonly kind: 'command'; readonly command: readonly string[] }
  /** The rebooter on the node is asked, by the API. */
  | { readonly kind: 'rebooter' }
  /** Nothing is sent: the client on the machine reboots it, once the controller has answered it by FleetLock. */
  | { readonly kind: 'fleetLock' }

/** How DNS of the cluster is asked while nodes are rolled. */
export interface DnsSpec {
  /** Absent: the Service is looked for. */
  readonly service?: ObjectRef
  /** Absent: the zone in the Corefile. */
  readonly zone?: string
  /** The image of this program, for relays on nodes; absent: no relay is started. */
  readonly image?: string
  /** The namespace of the relays. */
  readonly namespace: string
}

/** Which pods leave politely. */
export interface PoliteSpec {
  readonly selector: LabelSelector
  /** Absent: those of every namespace. */
  readonly namespaces?: readonly string[]
  /** From the end of its endpoint until the pod is evicted. */
  readonly leaveAfterMs: number
}

/** What is done with pods that may not leave; the fields are in the order of the steps. */
export interface BlockedSpec {
  /** Absent: every pod of the namespaces. */
  readonly selector?: LabelSelector
  /** Absent: those of every namespace. */
  readonly namespaces?: readonly string[]
  readonly waitMs: number
  /** Absent: no replacement is started first. */
  readonly surgeMs?: number
  /** Absent: no answer is asked for. */
  readonly askMs?: number
  readonly delete: boolean
}

/** How many nodes the roll has in work at the same time; the node budget may allow fewer. */
interface ParallelSpec {
  readonly nodes: number
  /** Only nodes of one zone together. */
  readonly oneZone: boolean
}

/** A validated roll.yaml, defaults filled in. Durations in milliseconds. */
export interface RollSpec {
  readonly name: string
  readonly nodes: {
    readonly names: readonly string[]
    readonly selector?: LabelSelector
    readonly all: boolean
    /** A node that matches no server of any balancer is an input error unless allowed here. */
    readonly allowUnbalanced: boolean
  }
  readonly slots: {
    readonly namespace: string
    readonly leaseDurationMs: number
    /** Where the brake publishes which cordons it grants; absent: in `namespace`. */
    readonly grantsNamespace?: string
    /** The most nodes that may be out in this roll, whatever the budget allows; absent: as many as the budget allows. */
    readonly maxOut?: OutLimit
  }
  /** Absent: one node at a time. */
  readonly parallel?: ParallelSpec
  readonly balancers: readonly BalancerSpec[]
  readonly detach: { readonly idleLimitMs: number }
  readonly drain: {
    readonly firstStage?: LabelSelector
    readonly daemonSets: readonly LabelSelector[]
    readonly deleteEmptyDirData: boolean
    readonly deleteUnmanaged: boolean
    readonly graceSeconds?: number
    /** Nodes that come later are marked, so that evicted pods go to nodes that are done. Absent: no marks. */
    readonly preferDone?: boolean
    /** Pods whose replacement is Ready before they leave. Absent: none. */
    readonly polite?: readonly PoliteSpec[]
    /** Pods that may take longer than `blockedLimitMs`. Absent: none. */
    readonly blocked?: readonly BlockedSpec[]
    /** What is done about pods with an annotation that they are not safe to evict. Absent: the plan warns. */
    readonly safeToEvict?: 'ignore' | 'hold'
    readonly blockedLimitMs: number
    readonly stageLimitMs: number
  }
  readonly reboot: RebootSpec & {
    readonly resendAfterMs: number
    readonly returnLimitMs: number
    /** The DaemonSet of kured whose lock the roll holds while it works. Absent: the roll takes no lock. */
    readonly kuredLock?: ObjectRef
    /** A node whose machine needs no reboot is not rolled. Absent: every node is rolled. */
    readonly onlyIfNeeded?: RebootNeedSpec
  }
  /** Absent: DNS is not asked. */
  readonly dns?: DnsSpec
  readonly settle: { readonly limitMs: number; readonly timesInARow: number; readonly dataPort: boolean }
  readonly attach: { readonly limitMs: number }
  readonly soakMs: number
  readonly probe?: {
    readonly targets: readonly ProbeTarget[]
    readonly baselineMs: number
    readonly baselineLimitMs: number
  }
  /** Absent: the first failed request stops the roll. */
  readonly stop?: StopSpec
  /** Machines of the load balancers that are rebooted too. Absent: none. */
  readonly hosts?: HostsSpec
  /** Absent: work is always allowed. */
  readonly window?: TimeWindowSpec
  /** Conditions of the operator. Absent: none. */
  readonly gates?: readonly GateSpec[]
  /** Commands of the operator at steps. Absent: none. */
  readonly hooks?: readonly StepHook[]
  /** Alerts that are silenced. Absent: none. */
  readonly silences?: readonly SilenceSpec[]
  /** What the roll announces on the nodes to other programs. Absent: nothing. */
  readonly announce?: { readonly conditions: true }
  /** Absent: no receiver is notified. */
  readonly notify?: readonly HookSpec[]
}
