/** The TCP connections that clients have open to the data port of this machine. */
export interface OpenConnections {
  /** Undefined where this machine's tables do not tell. Rejects with the signal's reason alone. */
  count(signal: AbortSignal): Promise<number | undefined>
}

/** `elsewhere`: of the open ones, those that rules of the network lead to another address than they came to. */
export interface Tracked {
  readonly open: number
  readonly elsewhere: number
}

/** The same, by the machine's connection tracking. */
export interface TrackedTable {
  /**
   * Undefined where the table does not prove that it would show them; `soon` where it may once it was read some more times.
   * Rejects with the signal's reason alone.
   */
  count(signal: AbortSignal): Promise<Tracked | 'soon' | undefined>
}
