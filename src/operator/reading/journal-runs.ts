import { plainText } from '../../ground/model/sentence.ts'
import { UserError } from '../../ground/model/user-error.ts'
import type { JournalStore, StoredJournal } from '../../roll/ports/journal.ts'
import { rollViewOf } from '../../roll/report/view/reduce-roll.ts'
import { isJournaledEvent } from '../../roll/run/journaled-event.ts'
import { runOfKey } from '../../roll/run/newest-run.ts'
import type { SeenRun } from '../model/run-state.ts'
import { seenRun } from './seen-run.ts'

/** The runs of Rolls. */
export interface RunSource {
  /** The run that was begun for this key; undefined where there is none. `known`: its name, where that is known. */
  of(key: string, known: string | undefined): Promise<SeenRun | UnreadableRun | undefined>
}

/** Its journal was damaged or edited; a person has to look. */
interface UnreadableRun {
  readonly fault: string
}

/** Runs as their journals tell them. */
export class JournalRuns implements RunSource {
  readonly #store: Pick<JournalStore, 'read' | 'runs'>
  /** By key. */
  readonly #names = new Map<string, string>()

  constructor(store: Pick<JournalStore, 'read' | 'runs'>) {
    this.#store = store
  }

  async of(key: string, known: string | undefined): Promise<SeenRun | UnreadableRun | undefined> {
    try {
      const name = this.#names.get(key) ?? known ?? (await runOfKey(key, this.#store))
      if (name === undefined) return undefined
      const stored = await this.#readIfThere(name)
      if (stored === undefined || !isOfKey(stored, key)) return undefined
      this.#names.set(key, name)
      return { ...seenRun(rollViewOf(stored.entries.filter(isJournaledEvent))), name }
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      return { fault: error.fix === undefined ? error.message : `${error.message}; ${plainText(error.fix)}` }
    }
  }

  async #readIfThere(name: string): Promise<StoredJournal | undefined> {
    try {
      return await this.#store.read(name)
    } catch (error) {
      if (error instanceof UserError && error.code === 'journal.unknown-run') return undefined
      throw error
    }
  }
}

/** A status can be edited by hand, and names no run of another Roll. */
const isOfKey = ({ entries }: StoredJournal, key: string): boolean =>
  entries.some(({ type, onceKey }) => type === 'planned' && onceKey === key)
