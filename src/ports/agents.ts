/** The agents of the nodes, as far as a controller asks them. */
export interface Agents {
  /** `unheard`: none answers at that address, or not in time. Rejects with the signal's reason alone. */
  ask(address: string, signal: AbortSignal): Promise<AgentAnswer | 'unheard'>
}

interface AgentAnswer {
  /** The ids of the claims that it has on disk and answers its health checks by. */
  readonly acknowledged: readonly string[]
  /** Its health answer is good. */
  readonly isUp: boolean
}
