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

/**
 * Taint → who is about to take the node away. Sources: Cluster Autoscaler (utils/taints), Karpenter (v1 and v1beta1 of its API), AWS node
 * termination handler (pkg/node/node.go), the maintenance handler of GKE, cloud-provider-azure, the cloud node lifecycle controller.
 */
const LEAVING_TAINTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(REMOVAL_TAINTS.map((key) => [key, 'the Cluster Autoscaler'])),
  'karpenter.sh/disrupted': 'Karpenter',
  'karpenter.sh/disruption': 'Karpenter',
  'aws-node-termination-handler/spot-itn': 'AWS',
  'aws-node-termination-handler/scheduled-maintenance': 'AWS',
  'aws-node-termination-handler/asg-lifecycle-termination': 'AWS',
  'aws-node-termination-handler/rebalance-recommendation': 'AWS',
  'cloud.google.com/impending-node-termination': 'Google Cloud',
  'cloudprovider.azure.microsoft.com/draining': 'Azure',
  'node.cloudprovider.kubernetes.io/shutdown': 'its cloud',
}

/** Who is about to take a node with that taint away; undefined: nobody. */
export const takenBy = (taint: string): string | undefined =>
  Object.hasOwn(LEAVING_TAINTS, taint) ? LEAVING_TAINTS[taint] : undefined

/** True on AKS before the cloud takes a machine (node-problem-detector there); a frozen machine stays. */
export const CLOUD_CONDITIONS: readonly string[] = [
  'PreemptScheduled',
  'TerminateScheduled',
  'RebootScheduled',
  'RedeployScheduled',
]

/**
 * Set by kured with `--annotate-nodes` once a node needs a reboot, before kured asks for its lock (kured, cmd/kured/main.go,
 * rebootAsRequired). It is deleted when kured starts again with the lock for the node.
 */
export const KURED_IN_PROGRESS = 'weave.works/kured-reboot-in-progress'

/** KEP-1143; its presence counts, whatever its value. */
export const EXCLUDE_LABEL = 'node.kubernetes.io/exclude-from-external-load-balancers'
