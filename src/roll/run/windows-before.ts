import { isSameWindow } from '../decide/availability/same-window.ts'
import type { EarlierWindow } from '../decide/snapshot.ts'
import type { Verdict } from '../model/verdict.ts'
import type { JournalEntry } from '../ports/journal.ts'
import { isJournaledEvent } from './journaled-event.ts'

/**
 * Failure windows that processes of a run saw since it was stopped last, as each was told last. A kill gives nothing back of what the
 * file allows; a stop does: the user who resumes the run knows what happened.
 */
export function windowsBefore(entries: readonly JournalEntry[]): readonly EarlierWindow[] {
  const stoppedAt = Math.max(0, ...entries.filter(isStop).map(({ at }) => Date.parse(at)))
  const windows = entries.filter(isJournaledEvent).reduce<readonly EarlierWindow[]>((seen, event) => {
    if (event.type !== 'window.opened' && event.type !== 'window.closed') return seen
    const { window, blame, excused } = event
    const others = seen.filter((earlier) => !isSameWindow(window, earlier.window))
    const first = blame[0] === undefined ? {} : { blame: blame[0] }
    return excused === true ? others : [...others, { window, ...first }]
  }, [])
  return windows.filter(({ window }) => window.firstBadAt > stoppedAt)
}

type VerdictEntry = JournalEntry & { readonly verdict: Verdict }

const isVerdict = (entry: JournalEntry): entry is VerdictEntry => entry.type === 'verdict'

/** The verdict comes first; the end, which tells of it, some time later. */
const isStop = (entry: JournalEntry): boolean =>
  (isVerdict(entry) && entry.verdict.kind === 'stopped') || (entry.type === 'roll.ended' && entry.outcome === 'stopped')
