import { onceAnswer } from '../decide/resume/once.ts'
import type { JournalStore } from '../ports/journal.ts'
import { isJournaledEvent } from './journaled-event.ts'

/** Journals of runs that are over: so many are kept where a store removes old ones. */
const KEPT = 20

/**
 * Removes runs beyond the newest ones, where the store may: each of them is over, and left no node out. A run that was interrupted, has
 * a node out or cannot be read stays. Resolves with the runs that were removed.
 */
export async function removeOldRuns(
  store: Pick<JournalStore, 'runs' | 'read' | 'inUse' | 'remove'>,
  kept = KEPT,
): Promise<readonly string[]> {
  if (store.remove === undefined) return []
  const removed: string[] = []
  for (const { run } of (await store.runs()).filter(({ header }) => header !== undefined).slice(kept)) {
    const { entries } = await store.read(run)
    if (onceAnswer(entries.filter(isJournaledEvent)).kind !== 'over' || (await store.inUse(run))) continue
    await store.remove(run)
    removed.push(run)
  }
  return removed
}
