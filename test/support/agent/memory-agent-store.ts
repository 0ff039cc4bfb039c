import type { AgentFile, AgentStore } from '../../../src/agent/ports/agent-store.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'

/** Texts that outlive the agents that wrote them; a test may lose some, or let the disk be full. */
export class MemoryAgentStore implements AgentStore {
  readonly texts = new Map<AgentFile, string>()
  /** Nothing can be read. */
  broken = false
  /** Writes of these fail; what stands there can be removed. */
  readonly full = new Set<AgentFile>()
  /** These can be neither written nor removed. */
  readonly readOnly = new Set<AgentFile>()
  /** Writes of these are there for all to read, and lost by a power cut. */
  readonly unsynced = new Set<AgentFile>()
  /** Calls for these wait until `answer`. */
  readonly hanging = new Set<AgentFile>()
  /** What happens once this was read. */
  readonly after = new Map<AgentFile, () => void>()
  #waiting = 0
  #answered = Promise.withResolvers<void>()

  /** Calls that wait. */
  get waiting(): number {
    return this.#waiting
  }

  /** The disk answers again, also the calls that have waited. */
  answer(): void {
    this.hanging.clear()
    this.#answered.resolve()
    this.#answered = Promise.withResolvers<void>()
  }

  async read(file: AgentFile): Promise<string | undefined> {
    await this.#hang(file)
    if (this.broken) throw new WorldError(`${file}: input/output error`, { code: 'STORE_FAILED', retry: 'backoff' })
    const text = this.texts.get(file)
    this.after.get(file)?.()
    this.after.delete(file)
    return text
  }

  async write(file: Exclude<AgentFile, 'override'>, text: string | undefined): Promise<void> {
    await this.#hang(file)
    if (this.readOnly.has(file)) throw new WorldError(`${file}: read-only`, { code: 'STORE_FAILED', retry: 'backoff' })
    if (this.full.has(file) && text !== undefined)
      throw new WorldError(`${file}: no space left`, { code: 'STORE_FAILED', retry: 'backoff' })
    if (text === undefined) this.texts.delete(file)
    else this.texts.set(file, text)
    if (this.unsynced.has(file))
      throw new WorldError(`${file}: input/output error`, { code: 'STORE_FAILED', retry: 'backoff' })
  }

  async #hang(file: AgentFile): Promise<void> {
    if (!this.hanging.has(file)) return
    this.#waiting += 1
    await this.#answered.promise
    this.#waiting -= 1
  }

  /** As a reboot: what was on tmpfs is gone. */
  reboot(): void {
    this.texts.delete('memory')
    this.texts.delete('ingress')
  }
}
