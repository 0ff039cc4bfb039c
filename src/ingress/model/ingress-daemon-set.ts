import type { IngressGroup } from '../../ground/model/ingress-keys.ts'
import type { OutLimit } from '../../ground/model/out-limit.ts'

/** A number of pods of one node, or a percentage of `podsPerNode`. */
export type PodLimit = OutLimit | { readonly kind: 'count'; readonly count: 0 }

/** A mark with which an object asks for a node to be detached, and how long balancers need to act on it. */
export interface DetachMark {
  readonly key: string
  /** Empty where the key alone is the mark. */
  readonly value: string
  readonly graceMs: number
}

/** How the pods of a node are replaced. */
export type IngressStrategy =
  /** The node leaves its load balancers, all of its pods are replaced at once, and it comes back. */
  | { readonly kind: 'detach'; readonly maxUnavailableNodes: OutLimit }
  /** The pods are replaced a few at a time while the node serves. */
  | {
      readonly kind: 'inPlace'
      readonly maxDegradedNodes: OutLimit
      readonly maxUnavailablePods: PodLimit
      readonly maxSurgedPods: PodLimit
    }

/** What is asked for before a node counts as detached; all graces are waited for. */
export interface DetachSpec {
  /** On the Deployment of the node: its health answer fails from then on. */
  readonly deployment: DetachMark
  /** On the Node, for a detacher of another project. */
  readonly node?: DetachMark
  /** The annotation of the Node in which that detacher writes when it was done, RFC 3339. */
  readonly acknowledgement?: { readonly key: string; readonly graceMs: number }
  readonly timeoutMs: number
  /** `Pause` holds the node where it is, `Proceed` goes on without the acknowledgement, `Abort` attaches it again. */
  readonly onTimeout: 'Pause' | 'Proceed' | 'Abort'
  /** From the healthy answer until the balancers send to the node again. */
  readonly attachGraceMs: number
}

export interface RolloutSpec {
  readonly paused: boolean
  /** So many nodes keep the old revision. */
  readonly partition: number
  /** Nodes with these labels go first, and the rollout pauses after them. */
  readonly canary?: Readonly<Record<string, string>>
  /** So many stuck nodes stop the rollout. */
  readonly failureThreshold: number
  readonly autoRollback: boolean
  readonly progressDeadlineMs: number
  readonly minInServiceNodes: number
  /** Nodes of one value of this label are done before those of the next. */
  readonly zoneKey: string
  /** Nodes that serve nothing are updated first, beside the budget. */
  readonly replaceUnavailableFirst: boolean
}

/** The template of a pod as it was written, with what decisions go by. */
export interface IngressTemplate {
  /** corev1.PodTemplateSpec, as it came. */
  readonly object: Readonly<Record<string, unknown>>
  readonly labels: Readonly<Record<string, string>>
  readonly hostNetwork: boolean
}

export interface IngressSpec {
  /** 1 to 32. */
  readonly podsPerNode: number
  /** So many ready pods make a node healthy; `podsPerNode` where nothing is said. */
  readonly minReadyPodsPerNode: number
  readonly minReadySeconds: number
  readonly nodeSelector: Readonly<Record<string, string>>
  /** Immutable; the labels of the template carry it. */
  readonly selector: Readonly<Record<string, string>>
  readonly healthCheckNodePorts: readonly number[]
  readonly healthChecker: {
    readonly image?: string
    readonly imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never'
    readonly serviceAccountName: string
  }
  readonly strategy: IngressStrategy
  readonly detach: DetachSpec
  readonly rollout: RolloutSpec
  readonly onCordon: 'Detach' | 'DetachAndScaleDown' | 'Ignore'
  readonly drainGate: 'Closed' | 'Open'
  readonly placement: 'Affinity' | 'NodeName'
  readonly revisionHistoryLimit: number
  readonly template: IngressTemplate
}

/** `spec.rollbackTo`: the template of an earlier revision is to be that of the object again. */
interface RollbackRequest {
  /** The number of the ControllerRevision. */
  readonly revision: number
  /** The whole spec as it was written: the API server checks all of it together with the other template. */
  readonly spec: Readonly<Record<string, unknown>>
}

/** `evenkeel.dev/v1alpha1`, kind IngressDaemonSet. */
export interface IngressDaemonSet {
  readonly group: IngressGroup
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly generation: number
  readonly labels: Readonly<Record<string, string>>
  readonly finalizers: readonly string[]
  /** It has a deletion timestamp. */
  readonly deleting: boolean
  /** The revision that a person lets go on after its canary nodes. */
  readonly promoted?: string
  /** The rejected revision that a person wants to try again. */
  readonly retried?: string
  readonly rollbackTo?: RollbackRequest
  readonly spec: IngressSpec
}
