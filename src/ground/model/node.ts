import type { Amount } from './quantity.ts'
import type { RebootCondition } from './reboot-condition.ts'
import type { NodeVersions } from './reboot-need.ts'

export interface Taint {
  readonly key: string
  readonly value?: string
  readonly effect: string
}

/** The fields of a Kubernetes Node that are used, parsed. */
export interface Node {
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly unschedulable: boolean
  readonly taints: readonly Taint[]
  readonly ready: 'True' | 'False' | 'Unknown'
  /** lastHeartbeatTime of the Ready condition, verbatim: only compared for changes, never read as a time. */
  readonly heartbeat: string
  readonly bootId: string
  /** Versions of its kernel, kubelet and OS, as far as its kubelet has reported them; absent: none. */
  readonly versions?: Partial<NodeVersions>
  /** Its condition RebootRequired; absent: none. */
  readonly rebootRequired?: RebootCondition
  /** Its condition EvenKeelRebooter; absent: no rebooter has run on it. */
  readonly rebooter?: RebootCondition
  readonly internalAddresses: readonly string[]
  readonly volumesAttached: readonly string[]
  /** It has a deletion timestamp. */
  readonly deleting?: true
  /** Types of conditions that are True and by which other programs announce that the node leaves; absent: none. */
  readonly lifecycle?: readonly string[]
  /** Condition of KEP-5683 that is True → the run of Even Keel that has set it; these are not in `lifecycle`. Absent: none. */
  readonly announced?: Readonly<Record<string, string>>
  /** Other programs have announced maintenance that has not begun. */
  readonly plannedByOthers?: true
  /** Its kubelet reports that it shuts the machine down. */
  readonly shuttingDown?: true
  /** How much its pods may request together; absent: its kubelet has not reported it. */
  readonly allocatable?: NodeRoom
}

export interface NodeRoom extends Amount {
  readonly pods: number
}

/** Some installers give a node that has nothing but a member of etcd a role of its own. */
const PLANE_LABELS = ['control-plane', 'master', 'etcd', 'controlplane'].map(
  (role) => `node-role.kubernetes.io/${role}`,
)

export const isControlPlane = ({ labels }: Node): boolean => PLANE_LABELS.some((label) => label in labels)
