import type { Access } from '../../../ground/model/access.ts'
import type { ConfigMap } from '../../../ground/model/config-map.ts'
import type { Endpoint } from '../../../ground/model/endpoint.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import type { Service } from '../../../ground/model/service.ts'
import type { SeenSlot } from '../../../ground/model/slot.ts'
import type { WallMs } from '../../../ground/model/time.ts'
import type { PersistentVolume } from '../../../ground/model/volume.ts'
import type { InstanceSnapshot } from '../../../service/decide/instance-snapshot.ts'
import type { InstanceInspection } from '../../../service/model/balancer-inspection.ts'
import type { OwnPod } from '../../model/own-pod.ts'
import type { NodeWhy, PlannedHost } from '../../model/roll-plan.ts'
import type { RollSpec } from '../../model/roll-spec.ts'
import type { ClusterReading } from '../snapshot.ts'
import type { RebootNeed } from './reboot-need.ts'
import type { SlotRefusal } from './slot-findings.ts'

/** All that a plan needs to know; read once, nothing changed. */
export interface PlanSnapshot {
  readonly clusterName: string
  /** The address of the API server. */
  readonly apiServer: Endpoint
  readonly spec: RollSpec
  /** Absent: the roll runs in no pod of the cluster. */
  readonly ownPod?: OwnPod
  readonly cluster: ClusterReading
  readonly services: readonly Service[]
  /** Absent: they may not be read, and which nodes reach them is not known. */
  readonly volumes?: readonly PersistentVolume[]
  readonly instances: readonly InstanceSnapshot[]
  readonly inspections: readonly InstanceInspection[]
  readonly forbidden: readonly Access[]
  /** Rights that are missing and that a roll can do without. */
  readonly spared?: readonly Access[]
  /** What gates of the file read and this identity is not allowed to read. Absent: nothing. */
  readonly unreadByGates?: readonly Access[]
  /** ConfigMap evenkeel-budget; absent: there is none, or it may not be read. */
  readonly budgetObject?: ConfigMap
  /** Slots of the node budget that are held. Absent: they were not read. */
  readonly slots?: readonly SeenSlot[]
  /** Why the API refuses a write of the slot's Lease; absent where it takes it. */
  readonly slotRefusal?: SlotRefusal
  /** For locks of other programs that end with time. */
  readonly wall?: WallMs
  /** Of the ports at which nodes of the roll serve, those where nothing answered this machine. Absent: none was asked. */
  readonly silentPorts?: readonly Endpoint[]
  /** Findings from the answers of the machines. */
  readonly hostFindings: readonly PlanFinding[]
  /** Machines of the load balancers that are to be rolled; absent: the file has none. */
  readonly hosts?: readonly PlannedHost[]
  /** Those that need no reboot. */
  readonly hostsSkipped?: readonly NodeWhy[]
  /** Node → whether it needs its reboot; absent: every chosen node is rolled. */
  readonly needs?: ReadonlyMap<string, RebootNeed>
}
