import type { LabelSelector } from '../../ground/model/label-selector.ts'
import type { Node } from '../../ground/model/node.ts'
import type { OutLimit } from '../../ground/model/out-limit.ts'
import type { WallMs } from '../../ground/model/time.ts'
import type { CheckedIngress } from './ingress-kind.ts'

/** A Service, as far as it takes ports of the nodes. */
export interface PortService {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly createdAt: WallMs
  readonly nodePorts: readonly number[]
  /** Where kube-proxy answers health checks for it. */
  readonly healthCheckNodePort?: number
}

/** A PodDisruptionBudget that no IngressDaemonSet has. */
export interface OthersBudget {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly selector: LabelSelector
}

/** What an IngressDaemonSet shares the cluster with. */
export interface Neighbours {
  /** Of each group; the object itself may be among them. */
  readonly objects: readonly CheckedIngress[]
  readonly services: readonly PortService[]
  readonly budgets: readonly OthersBudget[]
  readonly nodes: readonly Node[]
  /** How many nodes of the cluster may be out; absent: that is not known. */
  readonly limit?: OutLimit
}
