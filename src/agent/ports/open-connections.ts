/** The TCP connections that clients have open to the data port of this machine. */
export interface OpenConnections {
  /** Undefined if the tables of this machine do not show it. Rejects only with the signal's reason. */
  count(signal: AbortSignal): Promise<number | undefined>
}

/** `elsewhere`: the open connections that rules of the network lead to another address than they came to. */
export interface Tracked {
  readonly open: number
  readonly elsewhere: number
}

/** The same, by the machine's connection tracking. */
export interface TrackedTable {
  /**
   * Undefined if nothing proves that the table would show them; `soon` if more reads may prove it. Rejects only with the signal's
   * reason.
   */
  count(signal: AbortSignal): Promise<Tracked | 'soon' | undefined>
}
