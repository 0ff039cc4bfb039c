/** The agents of the nodes, as far as a controller asks them. */
export interface Agents {
  /**
   * The ids of the claims that the agent at that address has on disk and answers its health checks by. `unheard`: none answers there,
   * or not in time. Rejects with the signal's reason alone.
   */
  acknowledged(address: string, signal: AbortSignal): Promise<readonly string[] | 'unheard'>
}
