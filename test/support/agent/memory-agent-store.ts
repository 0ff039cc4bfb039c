import { WorldError } from '../../../src/model/world-error.ts'
import type { AgentFile, AgentStore } from '../../../src/ports/agent-store.ts'

/** Texts that outlive the agents that wrote them; a test may lose some, or let the disk be full. */
export class MemoryAgentStore implements AgentStore {
  readonly texts = new Map<AgentFile, string>()
  /** Nothing can be read. */
  broken = false
  /** Writes of these fail. */
  readonly full = new Set<AgentFile>()

  async read(file: AgentFile): Promise<string | undefined> {
    if (this.broken) throw new WorldError(`${file}: input/output error`, { code: 'STORE_FAILED', retry: 'backoff' })
    return this.texts.get(file)
  }

  async write(file: 'memory' | 'kept', text: string | undefined): Promise<void> {
    if (this.full.has(file)) throw new WorldError(`${file}: no space left`, { code: 'STORE_FAILED', retry: 'backoff' })
    if (text === undefined) this.texts.delete(file)
    else this.texts.set(file, text)
  }

  /** As a reboot: what was on tmpfs is gone. */
  reboot(): void {
    this.texts.delete('memory')
  }
}
