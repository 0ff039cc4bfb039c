import { evenkeel, say } from '../../ground/model/sentence.ts'
import { UserError } from '../../ground/model/user-error.ts'
import type { JournalStore } from '../ports/journal.ts'

/** Errors for the journal of a process that died before its first line; nothing was begun in that run. */
const NEVER_BEGUN = ['journal.empty', 'journal.unknown-run']

/**
 * The newest run. Rejects with UserError `journal.none` where there is none, and with the error of the newest journal where it
 * cannot be read: an older run must not be taken in its place.
 */
export async function newestRun(store: JournalStore): Promise<string> {
  const runs = await store.runs()
  const readable = runs.find(({ header }) => header !== undefined)?.run
  // A run's name begins with its time, which is all that is known of an unreadable journal.
  const later = runs.filter(({ run, header }) => header === undefined && (readable === undefined || run > readable))
  for (const { run } of later.toSorted((left, right) => (left.run < right.run ? 1 : -1)))
    await refuseUnreadable(store, run)
  if (readable !== undefined) return readable
  throw new UserError(`there is no journal of a roll in ${store.directory}`, {
    code: 'journal.none',
    fix: say`name the place of the journals with --state-dir, or begin a roll: ${evenkeel`roll -f roll.yaml`}; if the journal is lost: ${evenkeel`roll abort -f roll.yaml`}`,
  })
}

/**
 * The run that was begun for the key of `--once`, the newest one where there are several. Rejects with UserError where a
 * journal cannot be read: it may be that one, which must not be begun a second time.
 */
export async function runOfKey(key: string, store: Pick<JournalStore, 'read' | 'runs'>): Promise<string | undefined> {
  for (const { run, header } of await store.runs()) {
    if (header === undefined) await refuseUnreadable(store, run)
    else if ((await store.read(run)).entries.some(({ type, onceKey }) => type === 'planned' && onceKey === key))
      return run
  }
  return undefined
}

async function refuseUnreadable(store: Pick<JournalStore, 'read'>, run: string): Promise<void> {
  try {
    await store.read(run)
  } catch (error) {
    if (error instanceof UserError && NEVER_BEGUN.includes(error.code)) return
    throw error
  }
}

/** Rejects with the error of a journal that exists and cannot be read: it is not lost. */
export async function hasJournal(store: JournalStore, run: string): Promise<boolean> {
  try {
    await store.read(run)
    return true
  } catch (error) {
    if (error instanceof UserError && error.code === 'journal.unknown-run') return false
    throw error
  }
}
