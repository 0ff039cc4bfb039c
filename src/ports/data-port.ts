/** Asks whether something listens at a node's data port. */
export interface DataPort {
  answers(at: { readonly address: string; readonly port: number }, signal: AbortSignal): Promise<boolean>
}
