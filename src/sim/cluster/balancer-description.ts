import type { BalancerConfig } from '../balancer/balancer-config.ts'

export interface FrontDescription {
  readonly backend: string
  readonly port: number
  readonly nodePort: number
  /** Where its servers answer checks, where that is not `/readyz`. */
  readonly checkPath?: string
}

/** One HAProxy before NodePorts of all nodes: every server is named as its node. */
export interface BalancerDescription {
  readonly fronts: readonly FrontDescription[]
  readonly check: { readonly interMs: number; readonly fall: number; readonly rise: number }
}

/** As the article has it: `inter 2s fall 3 rise 2`, `timeout connect 1s`, `client 30s`, `server 10s`, no redispatch. */
export function balancerConfig(
  { fronts, check }: BalancerDescription,
  { host, addresses }: { readonly host: string; readonly addresses: readonly string[] },
): BalancerConfig {
  return {
    host,
    frontends: fronts.map(({ backend, port }) => ({ name: `front-${backend}`, port, backend })),
    backends: fronts.map(({ backend, nodePort, checkPath = '/readyz' }) => ({
      name: backend,
      servers: addresses.map((address, i) => ({ name: `n${i + 1}`, address, port: nodePort })),
      check: { path: checkPath, ...check },
    })),
    connectTimeoutMs: 1_000,
    clientTimeoutMs: 30_000,
    serverTimeoutMs: 10_000,
  }
}
