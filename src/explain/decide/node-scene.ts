import type { Condition } from '../../ground/model/condition.ts'
import type { Node } from '../../ground/model/node.ts'
import type { Pod } from '../../ground/model/pod.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { Sentence } from '../../ground/model/sentence.ts'
import type { WallMs } from '../../ground/model/time.ts'
import type { VolumeAttachment, VolumeClaim } from '../../ground/model/volume.ts'
import type { Workload } from '../../ground/model/workload.ts'
import type { CheckedGuard } from '../../guard/decide/guard-kind.ts'
import type { CheckedIngress } from '../../ingress/decide/ingress-kind.ts'
import type { lastDnsPod } from '../../roll/decide/dns/dns-leaving.ts'
import type { RollOutcome } from '../../roll/model/roll-event.ts'
import type { Step } from '../../roll/model/step.ts'
import type { BudgetStatus } from '../../service/decide/budget/budget-status.ts'
import type { CordonsThatCount } from '../../service/decide/budget/snapshot.ts'
import type { Readiness } from '../model/seen-pod.ts'
import type { PodScene } from './pod-scene.ts'

/** All that was read about a node. What is absent is not known. */
export interface NodeScene {
  readonly now: WallMs
  readonly node: Node
  readonly readiness?: Readiness
  readonly pods?: readonly PodScene[]
  readonly volumes?: { readonly attachments: readonly VolumeAttachment[]; readonly claims: readonly VolumeClaim[] }
  /** A fault: maxOut makes no sense. */
  readonly budget?: BudgetStatus | { readonly fault: string; readonly next: Sentence }
  readonly cordons?: CordonsThatCount
  readonly guards?: readonly CheckedGuard[]
  readonly ingresses?: readonly CheckedIngress[]
  /** False: those of one API group are missing among them. */
  readonly areIngressesWhole?: boolean
  readonly dns?: DnsReading
  /** The pods of kube-system; only read for a control-plane node. */
  readonly system?: readonly Pod[]
  readonly daemonSets?: readonly Workload[]
  readonly run?: RunScene
}

type ServingPods = Parameters<typeof lastDnsPod>[1]

/** The DNS of the cluster, by its objects. */
export interface DnsReading extends ServingPods {
  readonly service: { readonly namespace: string; readonly name: string }
  /** The last result of the controller's check; absent: no controller checks DNS. */
  readonly health?: Pick<Condition, 'status' | 'reason' | 'message'>
}

/** A node that a run has in work. */
export interface NodeInWork {
  readonly name: string
  /** Absent: between two steps. */
  readonly step?: Step
  readonly stepForMs?: number
  /** Absent: nothing holds it. */
  readonly hold?: { readonly reasons: readonly Reason[]; readonly forMs: number }
}

/** A run whose journal is on this machine. */
export interface RunScene {
  readonly run: string
  /** A process has the run in work now. */
  readonly running: boolean
  /** The state of the node in the run. */
  readonly node: 'waiting' | 'inWork' | 'ended' | 'notInRun'
  /** What became of the node in the run. */
  readonly state?: string
  readonly inWork: readonly NodeInWork[]
  /** Nodes of the run that are not begun, in its order. */
  readonly waiting: readonly string[]
  readonly end?: { readonly outcome: RollOutcome; readonly reasons: readonly Reason[] }
}

/** The slot that is held for the node; undefined: none is, or the budget is not known. */
export const slotFor = ({ budget, node }: NodeScene): BudgetStatus['slots'][number] | undefined =>
  budget === undefined || 'fault' in budget ? undefined : budget.slots.find((slot) => slot.node === node.name)
