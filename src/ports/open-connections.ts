/** The TCP connections that clients have open to the data port of this machine. */
export interface OpenConnections {
  /** Undefined where this machine's tables do not tell. Rejects with the signal's reason alone. */
  count(signal: AbortSignal): Promise<number | undefined>
}
