/** Checks whether something listens at a node's data port (a TCP connect, closed at once). Rejects only when aborted. */
export interface DataPort {
  answers(at: { readonly address: string; readonly port: number }, signal: AbortSignal): Promise<boolean>
}
