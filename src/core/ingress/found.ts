import type { OwnedObject } from '../../model/owned-object.ts'
import type { WallMs } from '../../model/time.ts'

/** A Deployment as it was found, with what its controller says of it. */
export interface FoundDeployment extends OwnedObject {
  /** spec.replicas. */
  readonly replicas: number
  readonly updated: number
  readonly ready: number
  readonly available: number
  /** Its controller has seen the spec as it is now. */
  readonly isObserved: boolean
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
  readonly isFailed: boolean
  readonly isFinished: boolean
  readonly createdAt: WallMs
}
