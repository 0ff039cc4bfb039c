import type { OwnedObject } from '../owned-object.ts'

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

/** A DaemonSet as it was found, with what its controller says of it. */
export interface FoundDaemonSet extends OwnedObject {
  readonly desired: number
  /** Nodes with a pod of the template as it is now, and with one that may be relied on, also if it is an older one. */
  readonly updated: number
  readonly available: number
  /** Its controller has seen the spec as it is now. */
  readonly isObserved: boolean
}
