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

/**
 * True before the machine is taken: by Azure on AKS (node-problem-detector there; a frozen machine stays), by the machine controllers of
 * Gardener and OpenShift (`Terminating`).
 */
export const CLOUD_CONDITIONS: readonly string[] = [
  'Terminating',
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

/** What says that a program is at work on a node that it gives back by itself. */
export interface WorkMark {
  readonly in: 'annotation' | 'taint'
  readonly key: string
  /** The program. */
  readonly by: string
  readonly does: 'reboots' | 'maintains' | 'updates'
  /** Only these values of the annotation count. Absent: each value counts. */
  readonly values?: readonly string[]
  /** What ends the work, if people may not take the mark off. */
  readonly end?: string
}

/**
 * Sources: kured; flatcar-linux-update-operator (pkg/constants, agent.go); harvester (controller/master/node/maintain_controller.go);
 * machine-config-operator (pkg/daemon/constants); medik8s/node-maintenance-operator (controllers/taint.go).
 */
const WORK_MARKS: readonly WorkMark[] = [
  { in: 'annotation', key: KURED_IN_PROGRESS, by: 'kured', does: 'reboots' },
  {
    in: 'annotation',
    key: 'flatcar-linux-update.v1.flatcar-linux.net/reboot-in-progress',
    by: 'the update agent of Flatcar',
    does: 'reboots',
    values: ['true'],
  },
  {
    in: 'annotation',
    key: 'harvesterhci.io/maintain-status',
    by: 'Harvester',
    does: 'maintains',
    values: ['running', 'completed'],
    end: 'people end its maintenance mode in Harvester',
  },
  {
    in: 'annotation',
    key: 'machineconfiguration.openshift.io/state',
    by: 'the Machine Config Operator',
    does: 'updates',
    values: ['Working'],
    end: 'its machine config pool is updated',
  },
  {
    in: 'taint',
    key: 'medik8s.io/drain',
    by: 'the Node Maintenance Operator',
    does: 'maintains',
    end: 'its NodeMaintenance is deleted',
  },
]

interface Marked {
  readonly annotations: Readonly<Record<string, string>>
  readonly taints: readonly { readonly key: string }[]
}

export const workMarksOf = ({ annotations, taints }: Marked): readonly WorkMark[] =>
  WORK_MARKS.filter(({ in: where, key, values }) => {
    if (where === 'taint') return taints.some((taint) => taint.key === key)
    const value = Object.hasOwn(annotations, key) ? annotations[key] : undefined
    return value !== undefined && (values?.includes(value) ?? true)
  })

/** KEP-1143; its presence counts, whatever its value. */
export const EXCLUDE_LABEL = 'node.kubernetes.io/exclude-from-external-load-balancers'
