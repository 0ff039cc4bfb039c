/** One line of a journal; its shape follows from `type`. Units are in field names, times in ISO 8601 UTC. */
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
  /** The version of Even Keel that began it. */
  readonly tool: string
}

/** The first line of a journal. `v` is the version of the format; only a known version is read. */
export interface JournalHeader extends JournalBeginning {
  readonly type: 'journal'
  readonly v: 1
}

/**
 * What will be done, on disk before it is done. `append` settles when the entry is synced; it rejects with WorldError
 * JOURNAL_WRITE (disk full, file gone) and leaves no half line that a reader would take for an entry.
 */
export interface Journal {
  readonly run: string
  append(entry: JournalEntry): Promise<void>
}

/** A journal as a reader finds it; if the run is under way, it grows meanwhile. */
export interface StoredJournal {
  readonly header: JournalHeader
  /** In order, without the header. */
  readonly entries: readonly JournalEntry[]
}

/** A journal that is ours alone until it is closed or the process ends, however it ends. */
export interface OpenJournal extends Journal, StoredJournal {
  /** The path of the file. */
  readonly path: string
  /** The length of a last line that a crash or a full disk had left half written, and that was cut off. */
  readonly cutBytes: number
  /** Waits for appends under way, then releases the lock. */
  close(): Promise<void>
}

/** One journal of a list; one without a header cannot be read, and `problem` says why. */
export interface StoredRun {
  readonly run: string
  readonly header?: JournalHeader
  readonly problem?: string
}

/**
 * The journals of one machine. Rejects with UserError `journal.*` where a person has to do something (no such run, another
 * cluster or version, in use, directory not writable), with WorldError JOURNAL_WRITE where the disk fails.
 */
export interface JournalStore {
  create(beginning: JournalBeginning): Promise<OpenJournal>
  /** For one process at a time: `resume` and `abort` of a run that another process has in work are refused. */
  open(run: string, cluster: string): Promise<OpenJournal>
  /** Without a lock, at any time: for reports and status. */
  read(run: string): Promise<StoredJournal>
  /** Whether a process has the run in work now. */
  inUse(run: string): Promise<boolean>
  /** The directory of the journals, for people. */
  readonly directory: string
  /** The path of the journal, for people. */
  pathOf(run: string): string
  /** Newest first, by the time in their headers; journals that cannot be read come last. */
  runs(): Promise<readonly StoredRun[]>
}
