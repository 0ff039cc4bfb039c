import { present } from '../../ground/model/present.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Log } from '../../ground/ports/log.ts'
import { mayStandFor } from '../decide/memory.ts'
import { formatOwed, parseOwed } from '../decide/owed-file.ts'
import { parseOverride } from '../decide/parse-override.ts'
import type { AgentSnapshot } from '../decide/snapshot.ts'
import { type KeptClaims, parseKeptClaims, UNREADABLE_CLAIMS } from '../model/kept-claims.ts'
import type { AgentFile, AgentStore } from '../ports/agent-store.ts'
import { TimelyStore } from './timely-store.ts'

interface AgentFilesParts {
  readonly store: AgentStore
  readonly clock: Clock
  readonly log: Log
}

/**
 * The files of one agent: what they say as far as it is known, and what is wrong with them. Another agent of the node may
 * write the same ones, while the one takes over from the other: what is on the disk is looked at again and again.
 *
 * Law: a request is acknowledged once it is synced to the disk of its node.
 */
export class AgentFiles {
  readonly #store: TimelyStore
  readonly #log: Log
  #override: AgentSnapshot['override']
  /** A file that was never read may contain claims. */
  #kept: KeptClaims | undefined = UNREADABLE_CLAIMS
  #isKeptRead = false
  #wasKeptRead = false
  /** It would survive a power cut: this process has written it. */
  #isKeptSynced = false
  /** The content of the file; absent: not read yet. */
  #owed: { readonly text: string | undefined } | undefined
  #remembered = ''
  /** The memory that the file had. Absent: the file had none. */
  #recallable: string | undefined
  readonly #trouble = new Map<AgentFile, string>()

  constructor({ store, clock, log }: AgentFilesParts) {
    this.#store = new TimelyStore(store, clock)
    this.#log = log
  }

  /** The part of the snapshot that comes from the files. */
  get said(): Pick<AgentSnapshot, 'override' | 'kept'> {
    return {
      ...present({ override: this.#override, kept: this.#kept }),
    }
  }

  /** It is known whether there is a claim on the disk: this process has read the file at least once. */
  get isKeptKnown(): boolean {
    return this.#wasKeptRead
  }

  /** The claims that are synced to the disk. */
  get synced(): KeptClaims | undefined {
    return this.#isKeptSynced ? this.#kept : undefined
  }

  /** For people. */
  get trouble(): readonly string[] {
    return [...this.#trouble.values()]
  }

  async recall(signal: AbortSignal): Promise<string | undefined> {
    this.#recallable = (await this.#read('memory', signal))?.text
    return this.#recallable
  }

  async remember(text: string, signal: AbortSignal): Promise<void> {
    if (text === this.#remembered) return
    const isWritten = await this.#write('memory', text, signal)
    // A write that was given up may still have happened.
    this.#remembered = isWritten ? text : ''
    if (isWritten) this.#recallable = text
    else if (this.#recallable !== undefined && !mayStandFor(this.#recallable, text)) await this.#forget(signal)
  }

  /** After a restart no memory is better than an old one. A file that cannot be written can be removed. */
  async #forget(signal: AbortSignal): Promise<void> {
    try {
      await this.#store.write('memory', undefined, signal)
      this.#recallable = undefined
    } catch (error) {
      if (!(error instanceof WorldError)) throw error
    }
  }

  /** Returns the debts of the previous agent, the first time that they can be read. */
  async read(signal: AbortSignal): Promise<readonly string[]> {
    await this.#readKept(signal)
    const owed = await this.#readOwed(signal)
    const read = await this.#read('override', signal)
    if (read !== undefined) this.#overrideBy(read.text)
    return owed
  }

  /** Changes the claims on the disk to the wanted ones, based on the present file. */
  async keep(wantedFor: (kept: KeptClaims | undefined) => KeptClaims | undefined, signal: AbortSignal): Promise<void> {
    if (!this.#isStale(wantedFor(this.#kept))) return
    await this.#readKept(signal)
    const wanted = wantedFor(this.#kept)
    if (!this.#isKeptRead || !this.#isStale(wanted)) return
    const text = wanted === undefined ? undefined : JSON.stringify(wanted)
    this.#isKeptSynced = await this.#write('kept', text, signal)
    if (this.#isKeptSynced) this.#kept = wanted
  }

  /** The addresses that still have to be told the end of a drain; until the file was read, it may name more. */
  async owe(addresses: readonly string[], signal: AbortSignal): Promise<void> {
    const text = addresses.length === 0 ? undefined : formatOwed(addresses)
    if (this.#owed === undefined || this.#owed.text === text) return
    if (await this.#write('owed', text, signal)) this.#owed = { text }
  }

  #isStale(wanted: KeptClaims | undefined): boolean {
    return !isSame(wanted, this.#kept) || (wanted !== undefined && wanted.claims.length > 0 && !this.#isKeptSynced)
  }

  /**
   * A file that makes no sense may contain claims: nothing has shown that they are over. A file that cannot be read changes
   * nothing.
   */
  async #readKept(signal: AbortSignal): Promise<void> {
    const read = await this.#read('kept', signal)
    this.#isKeptRead = read !== undefined
    if (read === undefined) return
    this.#wasKeptRead = true
    const kept = read.text === undefined ? undefined : (parseKeptClaims(read.text) ?? UNREADABLE_CLAIMS)
    if (!isSame(kept, this.#kept)) this.#isKeptSynced = false
    this.#kept = kept
  }

  async #readOwed(signal: AbortSignal): Promise<readonly string[]> {
    const isFirst = this.#owed === undefined
    const read = await this.#read('owed', signal)
    if (read === undefined) return []
    this.#owed = read
    if (!isFirst || read.text === undefined) return []
    const addresses = parseOwed(read.text)
    if (addresses === undefined)
      this.#log.warn('the file of the checkers that must still hear the end of a drain is malformed')
    return addresses ?? []
  }

  /** An override that makes no sense changes nothing, and is reported. */
  #overrideBy(text: string | undefined): void {
    const override = text === undefined ? undefined : parseOverride(text)
    if (text === undefined || override !== undefined) this.#override = override
    else this.#trouble.set('override', 'the override file must begin with up, drain or down')
  }

  /** Undefined: the file cannot be read. `text` is absent if there is no file. */
  async #read(file: AgentFile, signal: AbortSignal): Promise<{ readonly text: string | undefined } | undefined> {
    try {
      const text = await this.#store.read(file, signal)
      this.#trouble.delete(file)
      return { text }
    } catch (error) {
      this.#failed(file, error)
      return undefined
    }
  }

  async #write(file: Exclude<AgentFile, 'override'>, text: string | undefined, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#store.write(file, text, signal)
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

const isSame = (a: KeptClaims | undefined, b: KeptClaims | undefined): boolean => identity(a) === identity(b)

/** The owners and ids of the claims, and their Node; the version of the Node does not matter. */
const identity = (kept: KeptClaims | undefined): string =>
  JSON.stringify(kept && [kept.uid, kept.claims.map(({ owner, id, uid }) => [owner, id, uid])]) ?? ''
