/**
 * The files of an agent. `memory` and `ingress` are lost in a reboot (tmpfs), `kept` and `owed` survive it (disk), `override` is a
 * person's, on the same disk.
 */
export type AgentFile = 'memory' | 'ingress' | 'kept' | 'owed' | 'override'

/**
 * Short texts, each written whole or not at all. Several agents of a node may write at once. Every call rejects with WorldError
 * STORE_FAILED. A call never returns while the disk hangs: the caller bounds its time.
 */
export interface AgentStore {
  /** Undefined if there is no such file. A text longer than any of ours is cut. */
  read(file: AgentFile): Promise<string | undefined>
  /** `kept` and `owed` are on the disk when this resolves; undefined deletes the file. */
  write(file: Exclude<AgentFile, 'override'>, text: string | undefined): Promise<void>
}
