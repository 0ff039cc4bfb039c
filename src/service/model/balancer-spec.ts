import type { BalancerCommands } from './balancer-commands.ts'
import type { DetacherSpec } from './detacher.ts'
import type { HealthCheckSpec } from './health-check.ts'
import type { HealthEndpointSpec } from './health-endpoint.ts'

/** How to reach one balancer process's runtime API. */
export type InstanceAddress =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  /** ssh to `host`, there a unix socket at `path`. */
  | { readonly kind: 'ssh'; readonly host: string; readonly path: string }

interface AnyBalancerSpec {
  readonly name: string
  /** The allow-list: nothing outside it is ever touched. */
  readonly backends: readonly string[]
  /** A one-node pool: the last usable server may be taken. */
  readonly allowLastServer: boolean
}

/** One HAProxy process and, where it has a master, those that a reload leaves behind. */
export interface HaproxyInstance {
  readonly name: string
  readonly address: InstanceAddress
  /** Path of the master's socket (`-S`) on the machine of `address`, which is a unix socket. */
  readonly masterSocket?: string
}

/** HAProxy, by its runtime API. */
export interface SocketBalancerSpec extends AnyBalancerSpec {
  readonly instances: readonly HaproxyInstance[]
  readonly healthEndpoint?: never
  readonly healthCheck?: never
  readonly annotation?: never
  readonly commands?: never
}

/** Balancers that have nothing but a health check, which the nodes' agents answer: one instance and one backend in name. */
export interface EndpointBalancerSpec extends AnyBalancerSpec {
  readonly instances: readonly { readonly name: string }[]
  readonly healthEndpoint: HealthEndpointSpec
  readonly healthCheck?: never
  readonly annotation?: never
  readonly commands?: never
}

/** The same without agents: a mark on each Node makes its health check fail. */
export interface CheckBalancerSpec extends AnyBalancerSpec {
  readonly instances: readonly { readonly name: string }[]
  readonly healthEndpoint?: never
  readonly healthCheck: HealthCheckSpec
  readonly annotation?: never
  readonly commands?: never
}

/** A detacher of the cluster, which an annotation of each Node asks: one instance and one backend in name, likewise. */
interface DetacherBalancerSpec extends AnyBalancerSpec {
  readonly instances: readonly { readonly name: string }[]
  readonly healthEndpoint?: never
  readonly healthCheck?: never
  readonly annotation: DetacherSpec
  readonly commands?: never
}

/** A balancer of any kind that commands move and ask: one instance and one backend in name, likewise. */
export interface CommandBalancerSpec extends AnyBalancerSpec {
  readonly instances: readonly { readonly name: string }[]
  readonly healthEndpoint?: never
  readonly healthCheck?: never
  readonly annotation?: never
  readonly commands: BalancerCommands
}

export type BalancerSpec =
  | SocketBalancerSpec
  | EndpointBalancerSpec
  | CheckBalancerSpec
  | DetacherBalancerSpec
  | CommandBalancerSpec
