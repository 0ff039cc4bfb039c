/** The fields of its Node object that an agent uses. */
export interface NodeReading {
  readonly uid: string
  /** Empty where it is not known: for a remembered Node. */
  readonly resourceVersion: string
  readonly unschedulable: boolean
  /** It has a deletion timestamp. */
  readonly deleting: boolean
  /** Types of conditions that are True and announce that the node leaves. */
  readonly lifecycle: readonly string[]
  /** Keys of taints that announce that the node will be removed. */
  readonly removal: readonly string[]
  /** It has the label that keeps nodes out of load balancers, with any value. */
  readonly excluded: boolean
  /** The annotation with the claims on it, verbatim. */
  readonly maintenance?: string
}

/** KEP-5683; the first is set by drains, the second after them. */
export const LIFECYCLE_CONDITIONS: readonly string[] = ['DrainInProgress', 'Drained', 'MaintenanceInProgress']

/** KEP-5683; set by a kubelet that shuts its machine down gracefully. */
export const SHUTDOWN_CONDITION = 'GracefulNodeShutdownInProgress'

/** Set by the Cluster Autoscaler before it removes a node. */
export const REMOVAL_TAINTS: readonly string[] = ['ToBeDeletedByClusterAutoscaler']

/** Set by the Cluster Autoscaler on a node that it may remove later. */
export const CANDIDATE_TAINT = 'DeletionCandidateOfClusterAutoscaler'

/** Set by Karpenter before it drains a node. */
export const DISRUPTED_TAINT = 'karpenter.sh/disrupted'

/**
 * Set by kured with `--annotate-nodes` once a node needs a reboot, before kured asks for its lock (kured, cmd/kured/main.go,
 * rebootAsRequired). It is deleted when kured starts again with the lock for the node.
 */
export const KURED_IN_PROGRESS = 'weave.works/kured-reboot-in-progress'

/** KEP-1143; its presence counts, whatever its value. */
export const EXCLUDE_LABEL = 'node.kubernetes.io/exclude-from-external-load-balancers'
