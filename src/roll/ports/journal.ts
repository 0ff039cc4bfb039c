/** One line of a journal; `type` tells the shape. Units in field names, stamps in ISO 8601 UTC. */
export interface JournalEntry {
  readonly at: string
  readonly type: string
  readonly [field: string]: unknown
}

export interface JournalBeginning {
  readonly at: string
  readonly run: string
  /** Uid of the cluster, so that no run is resumed on another. */
  readonly cluster: string
  /** Version of the Even Keel that began it. */
  readonly tool: string
}

/** The first line of a journal. `v` is the format's version; another one is not read. */
export interface JournalHeader extends JournalBeginning {
  readonly type: 'journal'
  readonly v: 1
}

/**
 * What was meant, on disk before it is done. `append` settles when the entry is synced; it rejects with WorldError
 * JOURNAL_WRITE (disk full, file gone) and leaves no half line that a reader would take for an entry.
 */
export interface Journal {
  readonly run: string
  append(entry: JournalEntry): Promise<void>
}

/** What a reader finds; a run that is still under way grows behind it. */
export interface StoredJournal {
  readonly header: JournalHeader
  /** In order, without the header. */
  readonly entries: readonly JournalEntry[]
}

/** Ours alone until it is closed or the process ends, however it ends. */
export interface OpenJournal extends Journal, StoredJournal {
  /** Where it lies. */
  readonly path: string
  /** Length of a last line that a crash or a full disk had left half written, and that was cut. */
  readonly cutBytes: number
  /** Waits for appends under way, then lets others have it. */
  close(): Promise<void>
}

/** One journal of a listing; without a header it cannot be read, and `problem` says why. */
export interface StoredRun {
  readonly run: string
  readonly header?: JournalHeader
  readonly problem?: string
}

/**
 * The journals of one machine. Rejects with UserError `journal.*` where a person must choose otherwise (no such run,
 * another cluster or version, in use, directory not writable), with WorldError JOURNAL_WRITE where the disk fails.
 */
export interface JournalStore {
  create(beginning: JournalBeginning): Promise<OpenJournal>
  /** For one process at a time: `resume` and `abort` of a run that another process works on are refused. */
  open(run: string, cluster: string): Promise<OpenJournal>
  /** Without a lock, at any time: for reports and status. */
  read(run: string): Promise<StoredJournal>
  /** Whether a process works on the run now. */
  inUse(run: string): Promise<boolean>
  /** Where the journals lie, for people. */
  readonly directory: string
  /** Where it lies, for people. */
  pathOf(run: string): string
  /** Newest first, by the time of their headers; unreadable ones last. */
  runs(): Promise<readonly StoredRun[]>
}
