import type { JournalEntry, JournalHeader, OpenJournal } from '../../../src/ports/journal.ts'

/** A journal as its file would hold it, for processes that come and go. */
export class MemoryJournal {
  readonly header: JournalHeader
  readonly #lines: string[] = []

  constructor(header: JournalHeader) {
    this.header = header
  }

  get entries(): readonly JournalEntry[] {
    return this.#lines.map((line) => JSON.parse(line) as JournalEntry)
  }

  get length(): number {
    return this.#lines.length
  }

  append(entry: JournalEntry): void {
    this.#lines.push(JSON.stringify(entry))
  }

  /** What one process has of it. */
  opened(append: (entry: JournalEntry) => Promise<void>): OpenJournal {
    return {
      run: this.header.run,
      header: this.header,
      entries: this.entries,
      cutBytes: 0,
      append,
      close: () => Promise.resolve(),
    }
  }
}
