import type { DisruptionBudget } from '../../../ground/model/disruption-budget.ts'
import type { Endpoint } from '../../../ground/model/endpoint.ts'
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
  /** What the roll file calls it. */
  readonly name: string
  readonly address: InstanceAddress
  /** The runtime API, as a person writes it. */
  readonly at: string
  readonly backends: Found<readonly SeenBackend[]>
  /** Of its socket; absent: the socket did not answer. */
  readonly level?: 'admin' | 'operator' | 'user' | 'unknown'
  /** Why the socket did not answer, where the backends come from the haproxy.cfg. */
  readonly silent?: string
}

/** What was found on the cluster and at the load balancers. What could not be read says why. */
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
  /** A person said that there is no load balancer to be told. */
  readonly noBalancer: boolean
}

/** What was read, or nothing. That it could not be read is said once, beside the findings. */
export const readOf = <T>(found: Found<readonly T[]>): readonly T[] => (found.is === 'found' ? found.value : [])
