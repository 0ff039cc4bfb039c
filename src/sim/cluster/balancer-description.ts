import { present } from '../../ground/model/present.ts'
import type { BalancerConfig } from '../balancer/balancer-config.ts'
import type { NodeSpec } from '../machines/node-spec.ts'

export interface FrontDescription {
  readonly backend: string
  readonly port: number
  readonly nodePort: number
  /** Where its servers answer checks, where that is not `/readyz`. */
  readonly checkPath?: string
  /** And at which port of the node, where that is not the one that traffic goes to. */
  readonly checkPort?: number
  /** The cookie by which clients come back to the server that they know. */
  readonly cookie?: string
  /** `option http-server-close`. */
  readonly closesServers?: boolean
  /** The backend whose servers these track, each the one of its node. */
  readonly track?: string
  /** `slowstart` of all its servers. */
  readonly slowStartMs?: number
  /** The node whose server is a backup. */
  readonly backup?: string
}

/** One HAProxy before NodePorts of nodes: every server is named as its node. */
export interface BalancerDescription {
  readonly fronts: readonly FrontDescription[]
  /** Before which nodes: before all of them unless told otherwise. */
  readonly before?: readonly string[]
  readonly check: { readonly interMs: number; readonly fall: number; readonly rise: number }
}

/** As the article has it: `inter 2s fall 3 rise 2`, `timeout connect 1s`, `client 30s`, `server 10s`, no redispatch. */
export function balancerConfig(
  { fronts, check, before }: BalancerDescription,
  { host, nodes }: { readonly host: string; readonly nodes: readonly Pick<NodeSpec, 'name' | 'address'>[] },
): BalancerConfig {
  const fronted = nodes.filter(({ name }) => before?.includes(name) !== false)
  return {
    host,
    frontends: fronts.map(({ backend, port }) => ({ name: `front-${backend}`, port, backend })),
    backends: fronts.map(
      ({ backend, nodePort, checkPath = '/readyz', checkPort, cookie, closesServers, track, slowStartMs, backup }) => ({
        name: backend,
        ...present({ cookie, closesServers }),
        servers: fronted.map(({ name, address }) => ({
          ...{ name, address, port: nodePort },
          ...(cookie === undefined ? {} : { cookie: name }),
          ...(track === undefined ? {} : { track: `${track}/${name}` }),
          ...present({ slowStartMs, isBackup: name === backup ? true : undefined }),
        })),
        check: { path: checkPath, ...present({ port: checkPort }), ...check },
      }),
    ),
    connectTimeoutMs: 1_000,
    clientTimeoutMs: 30_000,
    serverTimeoutMs: 10_000,
  }
}
