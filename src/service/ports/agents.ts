/** The agents of the nodes, as far as a controller asks them. */
export interface Agents {
  /** `unheard`: none answers at that address, or not in time. Rejects with the signal's reason alone. */
  ask(address: string, signal: AbortSignal): Promise<AgentAnswer | 'unheard'>
  /** What a load balancer hears at a health port. Where nothing listens at the port, it is `out`. Rejects with the signal's reason alone. */
  check(at: { readonly address: string; readonly port: number }, signal: AbortSignal): Promise<'up' | 'out' | 'unheard'>
}

export interface AgentAnswer {
  /** The ids of the claims that it has on disk and answers its health checks by. */
  readonly acknowledged: readonly string[]
  /** Its health answer is good. */
  readonly isUp: boolean
  /** Of each IngressDaemonSet for whose pods it answers health checks. Absent: it does so for none. */
  readonly ingresses?: readonly IngressHealth[]
}

export interface IngressHealth {
  readonly namespace: string
  readonly name: string
  readonly isUp: boolean
  /** The ports that it answers at. */
  readonly ports: readonly number[]
}
