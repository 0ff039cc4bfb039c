/**
 * What an agent has beside its memory. `memory` goes with a reboot (tmpfs), `kept` survives it (disk), `override` is a
 * person's.
 */
export type AgentFile = 'memory' | 'kept' | 'override'

/** Short texts, each whole or not at all. Every call rejects with WorldError STORE_FAILED. */
export interface AgentStore {
  /** Undefined where there is none. */
  read(file: AgentFile): Promise<string | undefined>
  /** `kept` is on the disk when this resolves; undefined takes it away. */
  write(file: 'memory' | 'kept', text: string | undefined): Promise<void>
}
