import type { Amount } from './quantity.ts'
import type { NodeVersions } from './reboot-need.ts'

export interface Taint {
  readonly key: string
  readonly value?: string
  readonly effect: string
}

/** What we use of a Kubernetes Node, already parsed. */
export interface Node {
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly unschedulable: boolean
  readonly taints: readonly Taint[]
  readonly ready: 'True' | 'False' | 'Unknown'
  /** lastHeartbeatTime of the Ready condition, verbatim: compared for change only, never read as a time. */
  readonly heartbeat: string
  readonly bootId: string
  /** Of its kernel, kubelet and OS, as far as its kubelet has said; absent: nothing. */
  readonly versions?: Partial<NodeVersions>
  readonly internalAddresses: readonly string[]
  readonly volumesAttached: readonly string[]
  /** It has a deletion timestamp. */
  readonly deleting?: true
  /** The types of its conditions that are True, of those by which others announce that it leaves; absent: none. */
  readonly lifecycle?: readonly string[]
  /** Condition of KEP-5683 that is True → the run of Even Keel that has set it; none of these is in `lifecycle`. Absent: none. */
  readonly announced?: Readonly<Record<string, string>>
  /** Others have announced maintenance, which has not begun. */
  readonly plannedByOthers?: true
  /** Its kubelet says that it shuts the machine down. */
  readonly shuttingDown?: true
  /** What its pods may ask for together; absent: its kubelet has not said. */
  readonly allocatable?: NodeRoom
}

export interface NodeRoom extends Amount {
  readonly pods: number
}

export function isControlPlane(node: Node): boolean {
  return 'node-role.kubernetes.io/control-plane' in node.labels || 'node-role.kubernetes.io/master' in node.labels
}
