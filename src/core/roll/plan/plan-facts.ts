import type { Access } from '../../../model/access.ts'
import type { InstanceInspection } from '../../../model/balancer-inspection.ts'
import type { ConfigMap } from '../../../model/config-map.ts'
import type { Endpoint } from '../../../model/endpoint.ts'
import type { PlanFinding } from '../../../model/roll-plan.ts'
import type { RollSpec } from '../../../model/roll-spec.ts'
import type { Service } from '../../../model/service.ts'
import type { InstanceFacts } from '../../service/instance-facts.ts'
import type { ClusterFacts } from '../snapshot.ts'
import type { SlotRefusal } from './slot-findings.ts'

/** All that a plan goes by; read once, nothing changed. */
export interface PlanFacts {
  readonly clusterName: string
  /** Where the API was asked. */
  readonly apiServer: Endpoint
  readonly spec: RollSpec
  readonly cluster: ClusterFacts
  readonly services: readonly Service[]
  readonly instances: readonly InstanceFacts[]
  readonly inspections: readonly InstanceInspection[]
  readonly forbidden: readonly Access[]
  /** Rights that are missing and that a roll goes on without. */
  readonly spared?: readonly Access[]
  /** ConfigMap evenkeel-budget; absent: there is none, or it may not be read. */
  readonly budgetObject?: ConfigMap
  /** Why the API would not take a write of the slot's Lease; absent where it would. */
  readonly slotRefusal?: SlotRefusal
  /** What the machines said, judged already. */
  readonly hostFindings: readonly PlanFinding[]
}
