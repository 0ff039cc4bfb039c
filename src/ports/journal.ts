/** One line of a journal; `type` tells the shape. Units in field names, stamps in ISO 8601 UTC. */
export interface JournalEntry {
  readonly at: string
  readonly type: string
  readonly [field: string]: unknown
}

/**
 * What was meant, on disk before it is done. `append` settles when the entry is synced; it rejects with WorldError
 * JOURNAL_WRITE (disk full, file gone) and leaves no half line that a reader would take for an entry.
 */
export interface Journal {
  readonly run: string
  append(entry: JournalEntry): Promise<void>
}
