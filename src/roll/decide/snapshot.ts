import type { DisruptionBudget } from '../../ground/model/disruption-budget.ts'
import type { Node } from '../../ground/model/node.ts'
import type { Pod } from '../../ground/model/pod.ts'
import type { FailureWindow, ProbeStatus } from '../../ground/model/probe.ts'
import type { EndpointSlice, Service } from '../../ground/model/service.ts'
import type { MonoMs, WallMs } from '../../ground/model/time.ts'
import type { VolumeAttachment, VolumeClaim } from '../../ground/model/volume.ts'
import type { Workload } from '../../ground/model/workload.ts'
import type { BudgetReading } from '../../service/decide/budget/budget-reading.ts'
import type { InstanceSnapshot } from '../../service/decide/instance-snapshot.ts'
import type { NodeRecord, RebootIntent } from '../../service/model/node-record.ts'
import type { Parsed } from '../../service/model/parse-node-record.ts'
import type { OwnPod } from '../model/own-pod.ts'
import type { ReloadSpan } from '../model/reload-span.ts'
import type { Blame } from '../model/roll-event.ts'
import type { RollPlan } from '../model/roll-plan.ts'
import type { RollSpec } from '../model/roll-spec.ts'
import type { TimeWindowState } from '../model/time-window.ts'
import type { Verdict } from '../model/verdict.ts'
import type { StepSpan } from './availability/attribution.ts'
import type { DnsReadings } from './dns/dns-readings.ts'
import type { Evidence } from './evidence.ts'
import type { GateReadings } from './gates/gate-readings.ts'
import type { HookStates } from './hooks/hook-states.ts'
import type { KuredLockState } from './kured/lock-state.ts'
import type { SilenceStates } from './silences/silence-states.ts'

/** The cluster as it was read last, every list sorted, so that equal clusters give equal decisions. */
export interface ClusterReading {
  readonly nodes: readonly Node[]
  readonly pods: readonly Pod[]
  readonly budgets: readonly DisruptionBudget[]
  readonly workloads: readonly Workload[]
  readonly attachments: readonly VolumeAttachment[]
  readonly claims: readonly VolumeClaim[]
  readonly slices: readonly EndpointSlice[]
  /** Absent where the roll file lets no pod leave politely. */
  readonly services?: readonly Service[]
  /** Kinds that were not listed yet: an object of these kinds may exist even if it is missing here. Absent once all were. */
  readonly unlisted?: { readonly kinds: readonly string[]; readonly error?: string }
  /** How long the oldest of these lists has been without a working stream; 0 while all are live. */
  readonly staleForMs: number
  /** The last moment at which the API server was away: from none of these lists having a stream until all have. */
  readonly lostAt?: MonoMs
}

/**
 * - free: it has no known holder · mine: held by this process
 * - other: held and renewed by another · stale: held, no renewal seen for its duration
 * - lost: taken from this process for good: the new holder restores what is ours
 */
export interface SlotReading {
  readonly state: 'free' | 'mine' | 'other' | 'stale' | 'lost'
  readonly holderRun?: string
  readonly holderNode?: string
  /** `holderNode` is a machine of a load balancer. */
  readonly holderIsMachine?: true
  /** False once the last renewal is older than two thirds of the duration: then nothing is sent. */
  readonly mayAct: boolean
}

/** The node that is under way, and what this run has written on it. */
export interface NodeReading {
  readonly node: Node
  /** The object is gone: node, record and intent are as they were read last. */
  readonly absent?: true
  /** The node does not bear its record: it was registered anew, or others took the record off. */
  readonly recordLost?: true
  /** The node bears this in the place of the run's record, which `record` has: another run's, or a text that cannot be read. */
  readonly inItsPlace?: Parsed<NodeRecord>
  /** The node does not bear the intent that was on it, or whose command the journal has; `intent` has it. */
  readonly intentLost?: true
  readonly record?: Parsed<NodeRecord>
  readonly intent?: Parsed<RebootIntent>
  /** renewTime of the node's own Lease in kube-node-lease, verbatim; read while a proof is waited for. */
  readonly leaseRenewTime?: string
  /** Ids of its containers that no pod showed when its boot id was first known; read while a proof is waited for. */
  readonly newContainers?: readonly string[]
  /** `address:port` → whether it answered at the last try; asked while the node is expected back or put back. */
  readonly dataPorts: Readonly<Record<string, boolean>>
}

/** A node of the same run that another lane of this process has in work. */
export interface NodeBeside {
  readonly node: string
  /** Of two nodes that cannot both leave, the one that goes first does not wait for the other. */
  readonly goesFirst: boolean
  /** Its servers may be out, or may be taken out at this moment. */
  readonly isLeaving: boolean
  /** A slot is held for it. */
  readonly hasSlot?: true
  /** Uids of pods that were put back on it, and go down with it. Absent: none. */
  readonly putBack?: readonly string[]
}

/** A failure window that an earlier process of the run saw. */
export interface EarlierWindow {
  readonly window: FailureWindow
  /** The step that was blamed first. Absent: none was under way. */
  readonly blame?: Blame
}

export interface RunSnapshot {
  readonly id: string
  /** `--reason`. */
  readonly reason?: string
  readonly order: readonly string[]
  readonly done: readonly string[]
  /** Nodes that had a member of the control plane when the run was planned. Absent: none was seen. */
  readonly members?: RollPlan['members']
  /** Absent where this process has one node in work at a time. */
  readonly beside?: readonly NodeBeside[]
  /** The node under way: its servers may be out, or may be taken out at this moment. */
  readonly isLeaving?: true
  /** Uids of pods that any lane of this process is evicting or has evicted. Absent: none. */
  readonly leaving?: ReadonlySet<string>
  readonly verdict?: Verdict
  /** End of the green baseline: failures before it do not count. */
  readonly measuredSince?: WallMs
  /** Windows that earlier processes of the run saw since it was stopped last, if the file allows failures. Absent: none. */
  readonly windowsBefore?: readonly EarlierWindow[]
  /** Absent: this process runs in no pod of the cluster. */
  readonly ownPod?: OwnPod
}

/** All that a decision needs to know, read before it is made. */
export interface RollSnapshot {
  readonly now: MonoMs
  readonly wall: WallMs
  readonly spec: RollSpec
  readonly run: RunSnapshot
  /** Absent: every node of the order is done, or none may be begun any more. */
  readonly current?: NodeReading
  readonly cluster: ClusterReading
  readonly instances: readonly InstanceSnapshot[]
  readonly slot: SlotReading
  /** Absent while it was not read: then one node may be out, and nothing is known of cordons. */
  readonly budget?: BudgetReading
  readonly journalWritable: boolean
  /** Absent where the roll file has no time windows; otherwise the windows are not known. */
  readonly window?: TimeWindowState
  /** Absent with `--no-probe`. */
  readonly probe?: ProbeStatus
  /** Absent: DNS is not asked. */
  readonly dns?: DnsReadings
  /** Absent: nothing can ask the gates of the file, and none passes. */
  readonly gates?: GateReadings
  /** Absent: the file has no hooks, or nothing can run them. */
  readonly hooks?: HookStates
  /** Absent: the file has no silences, or nothing can make them. */
  readonly silences?: SilenceStates
  /** Absent: the file does not ask for the lock of kured, or nothing can take it. */
  readonly kuredLock?: KuredLockState
  /** Reloads of any balancer of this roll, as this process has seen them. */
  readonly reloads: readonly ReloadSpan[]
  /** Steps of any node of this process, to find the one that is blamed for a failure. Absent: none was begun. */
  readonly steps?: readonly StepSpan[]
  readonly evidence: Evidence
}
