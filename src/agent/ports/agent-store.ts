/**
 * What an agent has beside its memory. `memory` and `ingress` go with a reboot (tmpfs), `kept` and `owed` survive it (disk),
 * `override` is a person's, on the same disk.
 */
export type AgentFile = 'memory' | 'ingress' | 'kept' | 'owed' | 'override'

/**
 * Short texts, each whole or not at all; several agents of a node may write at once. Every call rejects with WorldError
 * STORE_FAILED. A disk that hangs keeps a call for ever: the caller bounds its time.
 */
export interface AgentStore {
  /** Undefined where there is none. What is longer than any of ours is cut. */
  read(file: AgentFile): Promise<string | undefined>
  /** `kept` and `owed` are on the disk when this resolves; undefined takes it away. */
  write(file: Exclude<AgentFile, 'override'>, text: string | undefined): Promise<void>
}
