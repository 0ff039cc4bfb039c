import type { Node } from '../../ground/model/node.ts'
import type { FoundDaemonSet, FoundDeployment } from '../../ground/model/owned/found-workload.ts'
import type { NodeIdentity } from '../../ground/model/owned/node-names.ts'
import type { Refusals } from '../../ground/model/owned/refused-write.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { FieldFinding } from '../../ground/model/schema/field-finding.ts'
import type { WallMs } from '../../ground/model/time.ts'
import type { BudgetReading } from '../../service/decide/budget/budget-reading.ts'
import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'
import type { Unbegun } from './refusals.ts'
import type { IngressNode } from './snapshot.ts'

/** What this process has seen of a slot of ours. */
export interface HeldSlot {
  readonly since: WallMs
  /** Since when the object's claim is gone that was on the Node while the slot was held. */
  readonly withdrawn?: WallMs
  /** The operation, as text, that was on the Deployment while the slot was held, and since when it is gone. */
  readonly lost?: { readonly op: string; readonly since: WallMs }
}

/** All that was read for a decision about an IngressDaemonSet. */
export interface IngressFound {
  readonly object: IngressDaemonSet
  /** Conflicts of the object with others. Absent: none. */
  readonly conflicts?: readonly FieldFinding[]
  /** The fields of its current status. */
  readonly status: Readonly<Record<string, unknown>>
  /** All caches are fresh. */
  readonly isFresh: boolean
  /** Why nothing is begun so soon after an outage of the API server; absent where it was not away. */
  readonly outage?: Reason
  readonly now: WallMs
  readonly nodes: readonly Node[]
  /** Deployments of the namespace that have the object's label or one of our names. */
  readonly deployments: readonly FoundDeployment[]
  /** The object's gates, and of its namespace those without a controller and those that no cache shows. */
  readonly gates: readonly OwnedObject[]
  readonly revisions: readonly OwnedObject[]
  readonly daemonSets: readonly FoundDaemonSet[]
  /** The pods that a Deployment with this selector has. Another function after each change. */
  podsOf(selector: NodeIdentity['selector']): readonly IngressPod[]
  readonly budget: BudgetReading
  /** The holder of the slots of this object, as their Leases say. */
  readonly slotHolder: string
  /** What was seen of the object's slot for that node. */
  heldSlot(node: string): HeldSlot | undefined
  /** When the acknowledgement on the Node was first seen. */
  acknowledgedSince(node: Node): WallMs | undefined
  /** Refused writes. Absent: none. */
  readonly refusals?: Refusals
  readonly unbegun?: Unbegun
  /** The answer of a node's agent. Undefined: agents are not asked. */
  agentOf(node: string): IngressNode['agent']
  /** The health port of the node that fails checks although it should not. */
  closedPortOf?(node: string): IngressNode['closedPort']
}

/** A pod of any IngressDaemonSet. */
export interface IngressPod {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  /** The name of its IngressDaemonSet. */
  readonly ingress: string
  /** The labels by which its Deployment selects it: of the IngressDaemonSet that made that, which an adopted one outlives, and of the node. */
  readonly ingressUid: string
  readonly nodeLabel: string
  /** The hash of the template it was made from. */
  readonly revision: string
  /** The pod failed or was rejected, but not because its machine shuts down. */
  readonly isFailed: boolean
  /** The kubelet ended or rejected the pod because its machine shuts down. */
  readonly isShutDown: boolean
  /** The pod runs and is not being deleted. */
  readonly isRunning: boolean
  readonly isFinished: boolean
  readonly createdAt: WallMs
  /** Why a container of it does not start, as its kubelet says, such as an image that cannot be pulled. */
  readonly waiting?: string
}
