import type { DisruptionBudget } from '../../../ground/model/disruption-budget.ts'
import type { Endpoint } from '../../../ground/model/endpoint.ts'
import type { KuredSettings } from '../../../ground/model/kured-settings.ts'
import type { Node } from '../../../ground/model/node.ts'
import type { Pod } from '../../../ground/model/pod.ts'
import type { ClusterContext } from '../../../ground/model/run-origin.ts'
import type { EndpointSlice, Service } from '../../../ground/model/service.ts'
import type { Workload } from '../../../ground/model/workload.ts'
import type { InstanceAddress } from '../../../service/model/balancer-spec.ts'
import type { HaproxyConfig } from '../../../service/model/haproxy-config.ts'
import type { Found } from '../doctor/doctor-snapshot.ts'

export interface SeenServer extends Endpoint {
  readonly name: string
  readonly checked: boolean
}

export interface SeenBackend {
  readonly name: string
  readonly mode: 'http' | 'tcp' | 'other'
  readonly disabled: boolean
  readonly servers: readonly SeenServer[]
}

/** One HAProxy, by its runtime API or by its haproxy.cfg. */
export interface SeenInstance {
  /** The name in the roll file. */
  readonly name: string
  readonly address: InstanceAddress
  /** The runtime API, in the form in which a person writes it. */
  readonly at: string
  readonly backends: Found<readonly SeenBackend[]>
  /** The level of its socket; absent: the socket did not answer. */
  readonly level?: 'admin' | 'operator' | 'user' | 'unknown'
  /** Why the socket did not answer, if the backends come from the haproxy.cfg. */
  readonly silent?: string
}

/** Load balancers that are no HAProxy with a runtime API, by the words of a person. */
export const OTHER_WAYS = ['health-check', 'agent', 'annotation', 'commands'] as const
export type OtherWay = (typeof OTHER_WAYS)[number]

/** What was read of the cluster and of the load balancers. A part that could not be read has the reason. */
export interface InitSnapshot {
  readonly context: ClusterContext
  readonly apiServer: Endpoint
  readonly nodes: Found<readonly Node[]>
  readonly pods: Found<readonly Pod[]>
  readonly services: Found<readonly Service[]>
  readonly slices: Found<readonly EndpointSlice[]>
  readonly workloads: Found<readonly Workload[]>
  readonly budgets: Found<readonly DisruptionBudget[]>
  readonly instances: readonly SeenInstance[]
  readonly config?: HaproxyConfig
  /** A person said that no load balancer needs commands. */
  readonly noBalancer: boolean
  /** How the load balancers learn that a node leaves, as a person said. Absent: HAProxy, or not known. */
  readonly otherWay?: OtherWay
  /** The kured whose work a roll takes over. */
  readonly kured?: KuredSettings
  /** A RollSchedule begins the roll in the cluster; only beside `kured`. */
  readonly isScheduled?: true
}

/** The value, or nothing. A failed read is reported once, beside the findings. */
export const readOf = <T>(found: Found<readonly T[]>): readonly T[] => (found.is === 'found' ? found.value : [])
