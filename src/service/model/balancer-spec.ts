import type { BalancerCommands } from './balancer-commands.ts'
import type { DetacherSpec } from './detacher.ts'
import type { HealthCheckSpec } from './health-check.ts'
import type { HealthEndpointSpec } from './health-endpoint.ts'

/** How to reach one balancer process's runtime API. */
export type InstanceAddress =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  /** ssh to `host`, with a unix socket at `path` there. */
  | { readonly kind: 'ssh'; readonly host: string; readonly path: string }

/** One HAProxy process and, where it has a master, the old workers that a reload leaves. */
export interface HaproxyInstance {
  readonly name: string
  readonly address: InstanceAddress
  /** Path of the master's socket (`-S`) on the machine of `address`, which is a unix socket. */
  readonly masterSocket?: string
}

/** What a roll file says of each kind of balancer. The name of a kind is the folder of its actuator. */
interface BalancerKinds {
  /** HAProxy, by its runtime API. */
  readonly haproxy: { readonly instances: readonly HaproxyInstance[] }
  /** Balancers that have nothing but a health check, which the nodes' agents answer. */
  readonly agent: HealthEndpointSpec
  /** The same without agents: a mark on each Node makes its health check fail. */
  readonly mark: HealthCheckSpec
  /** A detacher of the cluster, which an annotation of each Node asks. */
  readonly detacher: DetacherSpec
  /** A balancer of any kind that commands move and ask. */
  readonly commands: BalancerCommands
}

export type BalancerKind = keyof BalancerKinds

interface BalancerOf<Kind extends BalancerKind> {
  readonly name: string
  /** The names of the instances. All kinds but HAProxy have one, named as the balancer. */
  readonly instances: readonly string[]
  /** The allow-list: nothing outside it is ever changed. All kinds but HAProxy have one backend, which has every node. */
  readonly backends: readonly string[]
  /** A one-node pool: the last usable server may be taken. */
  readonly allowLastServer: boolean
  readonly via: { readonly kind: Kind } & BalancerKinds[Kind]
}

export type BalancerSpec<Kind extends BalancerKind = BalancerKind> = { [Each in Kind]: BalancerOf<Each> }[Kind]

export type BalancerVia<Kind extends BalancerKind = BalancerKind> = BalancerSpec<Kind>['via']
