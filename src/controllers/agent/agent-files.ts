import { parseOverride } from '../../core/agent/parse-override.ts'
import type { AgentSnapshot } from '../../core/agent/snapshot.ts'
import { type KeptMaintenance, parseKeptMaintenance } from '../../model/kept-maintenance.ts'
import { WorldError } from '../../model/world-error.ts'
import type { AgentFile, AgentStore } from '../../ports/agent-store.ts'
import type { Log } from '../../ports/log.ts'

/** The files of one agent: what they say as far as it is known, and what is wrong with them. */
export class AgentFiles {
  readonly #store: AgentStore
  readonly #log: Log
  #override: AgentSnapshot['override']
  #kept: KeptMaintenance | undefined
  #isKeptRead = false
  #remembered = ''
  readonly #trouble = new Map<AgentFile, string>()

  constructor(store: AgentStore, log: Log) {
    this.#store = store
    this.#log = log
  }

  /** What is said of the node by its files. */
  get said(): Pick<AgentSnapshot, 'override' | 'kept'> {
    return {
      ...(this.#override === undefined ? {} : { override: this.#override }),
      ...(this.#kept === undefined ? {} : { kept: this.#kept }),
    }
  }

  /** For people. */
  get trouble(): readonly string[] {
    return [...this.#trouble.values()]
  }

  async recall(): Promise<string | undefined> {
    return (await this.#read('memory'))?.text
  }

  async remember(text: string): Promise<void> {
    if (text === this.#remembered) return
    if (await this.#write('memory', text)) this.#remembered = text
  }

  async look(): Promise<void> {
    if (!this.#isKeptRead) await this.#readKept()
    const read = await this.#read('override')
    if (read !== undefined) this.#overrideBy(read.text)
  }

  /** The request on the disk becomes what it should be. */
  async keep(wanted: KeptMaintenance | undefined): Promise<void> {
    if (isSame(wanted, this.#kept)) return
    const text = wanted === undefined ? undefined : JSON.stringify(wanted)
    if (await this.#write('kept', text)) this.#kept = wanted
  }

  /** What cannot be read, or makes no sense, may be a request: nobody has shown that it is over. */
  async #readKept(): Promise<void> {
    const read = await this.#read('kept')
    this.#isKeptRead = read !== undefined
    if (read === undefined) this.#kept = UNREADABLE
    else this.#kept = read.text === undefined ? undefined : (parseKeptMaintenance(read.text) ?? UNREADABLE)
  }

  /** One that makes no sense changes nothing, and is told. */
  #overrideBy(text: string | undefined): void {
    const override = text === undefined ? undefined : parseOverride(text)
    if (text === undefined || override !== undefined) this.#override = override
    else this.#trouble.set('override', 'the override file begins with none of up, drain and down')
  }

  /** Undefined where it cannot be read; without text where there is none. */
  async #read(file: AgentFile): Promise<{ readonly text: string | undefined } | undefined> {
    try {
      const text = await this.#store.read(file)
      this.#trouble.delete(file)
      return { text }
    } catch (error) {
      this.#failed(file, error)
      return undefined
    }
  }

  async #write(file: 'memory' | 'kept', text: string | undefined): Promise<boolean> {
    try {
      await this.#store.write(file, text)
      this.#trouble.delete(file)
      return true
    } catch (error) {
      this.#failed(file, error)
      return false
    }
  }

  #failed(file: AgentFile, error: unknown): void {
    if (!(error instanceof WorldError)) throw error
    if (!this.#trouble.has(file)) this.#log.warn(error.message)
    this.#trouble.set(file, error.message)
  }
}

/** Something is on the disk: whatever it was meant to be, nobody has shown that it is over. */
const UNREADABLE: KeptMaintenance = { version: 1, id: '', run: 'unknown', uid: '' }

const isSame = (a: KeptMaintenance | undefined, b: KeptMaintenance | undefined): boolean =>
  a?.id === b?.id && a?.run === b?.run && a?.uid === b?.uid
