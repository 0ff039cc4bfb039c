import type { RollEvent, StampedEvent } from '../model/roll-event.ts'
import type { JournalEntry } from '../ports/journal.ts'

/** Events and our own notes share a journal; only events are numbered. */
export function isJournaledEvent(entry: JournalEntry): entry is JournalEntry & StampedEvent & RollEvent {
  return entry.v === '1.0' && typeof entry.seq === 'number'
}
