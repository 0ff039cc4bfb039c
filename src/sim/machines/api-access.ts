/** The API server as one place in the cluster reaches it: faults cut a node off, or take the server away. */
export interface ApiAccess {
  /** Aborted when the server goes, and every connection to it with it; undefined while it is away. */
  readonly life: AbortSignal | undefined
}
