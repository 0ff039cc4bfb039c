import type { EndpointReading } from '../model/health-endpoint.ts'

/** The agents of the nodes, as a controller asks them. */
export interface Agents {
  /** `unheard`: no agent answers at that address in time. Rejects only with the signal's reason. */
  ask(address: string, signal: AbortSignal): Promise<AgentAnswer | 'unheard'>
  /**
   * The answer that a load balancer gets at a health port. Where nothing listens at the port, it is `out`. Rejects only with
   * the signal's reason.
   */
  check(at: { readonly address: string; readonly port: number }, signal: AbortSignal): Promise<HealthCheck>
}

/** `foreign`: a program that does not speak HTTP has the port, or the connection broke. `unheard`: no answer came in time. */
export type HealthCheck = 'up' | 'out' | 'foreign' | 'unheard'

export interface AgentAnswer {
  /** The ids of the claims that the agent has on disk and answers by. */
  readonly acknowledged: readonly string[]
  /** The agent answers `up`. */
  readonly isUp: boolean
  /** Whose claims the agent keeps on its disk, and on which Node object it saw each. Absent: none. */
  readonly kept?: EndpointReading['kept']
  /** For each IngressDaemonSet for whose pods the agent answers health checks. Absent: for none. */
  readonly ingresses?: readonly IngressHealth[]
}

export interface IngressHealth {
  readonly namespace: string
  readonly name: string
  readonly isUp: boolean
  /** The ports that it answers at. */
  readonly ports: readonly number[]
}
