/** Checks whether something listens at a node's data port (a TCP connect, closed at once). */
export interface DataPort {
  /**
   * Rejects with WorldError DATA_PORT_UNASKED where this machine can make no connection, which says nothing about the port, or with the
   * signal's reason.
   */
  answers(at: { readonly address: string; readonly port: number }, signal: AbortSignal): Promise<boolean>
}
