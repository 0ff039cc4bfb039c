import type { Node } from '../../ground/model/node.ts'
import type { FoundDaemonSet, FoundDeployment } from '../../ground/model/owned/found-workload.ts'
import type { Refusals } from '../../ground/model/owned/refused-write.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import type { FieldFinding } from '../../ground/model/schema/field-finding.ts'
import type { WallMs } from '../../ground/model/time.ts'
import type { BudgetReading } from '../../service/decide/budget/budget-reading.ts'
import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'
import type { Unbegun } from './refusals.ts'
import type { IngressNode } from './snapshot.ts'

/** What is known of a slot since it was first seen to be ours. */
export interface HeldSlot {
  readonly since: WallMs
  /** The claim of the object stood on the Node while it was held, and is gone since then. */
  readonly withdrawn?: WallMs
  /** The operation that stood on the Deployment of its node while it was held, as text, and is gone since then. */
  readonly lost?: { readonly op: string; readonly since: WallMs }
}

/** All that was read for a decision about an IngressDaemonSet. */
export interface IngressFound {
  readonly object: IngressDaemonSet
  /** Errors that the object has beside others; absent: none. */
  readonly conflicts?: readonly FieldFinding[]
  /** The fields of its status, as they stand. */
  readonly status: Readonly<Record<string, unknown>>
  /** No cache is behind for longer than it may be. */
  readonly isFresh: boolean
  readonly now: WallMs
  readonly nodes: readonly Node[]
  /** Of its namespace: those that bear the label of the object, and what has a name of ours without it. */
  readonly deployments: readonly FoundDeployment[]
  /** Those of this object, and of its namespace those without a controller and those that were met. */
  readonly gates: readonly OwnedObject[]
  readonly revisions: readonly OwnedObject[]
  readonly daemonSets: readonly FoundDaemonSet[]
  /** Of this object, by the label of their node; another function where any of them is another one. */
  podsOf(nodeLabel: string): readonly IngressPod[]
  readonly budget: BudgetReading
  /** The holder of the slots of this object, as their Leases say. */
  readonly slotHolder: string
  /** Of a slot of this object, by the name of its node. */
  heldSlot(node: string): HeldSlot | undefined
  /** When the acknowledgement that stands on the Node was first seen. */
  acknowledgedSince(node: Node): WallMs | undefined
  /** Writes that were refused; absent: none was. */
  readonly refusals?: Refusals
  readonly unbegun?: Unbegun
  /** What the agent of a node says; undefined: agents are not asked. */
  agentOf(node: string): IngressNode['agent']
}

/** A pod of an IngressDaemonSet, whichever. */
export interface IngressPod {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  /** Of the IngressDaemonSet. */
  readonly ingressUid: string
  /** The label of the node it is for. */
  readonly nodeLabel: string
  /** The hash of the template it was made from. */
  readonly revision: string
  /** It failed by itself, or was rejected, and not because its machine goes down. */
  readonly isFailed: boolean
  /** Its kubelet ended or rejected it, because its machine goes down. */
  readonly isShutDown: boolean
  /** And not about to end. */
  readonly isRunning: boolean
  readonly isFinished: boolean
  readonly createdAt: WallMs
}
