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
 * What will be done, stored before it is done. `append` settles when the entry is stored for good (synced, or acknowledged by the API
 * server). It rejects with WorldError JOURNAL_WRITE (disk full, file gone, API away, quota), and leaves no half line that a reader would
 * take for an entry.
 *
 * Appends settle in order. One that is rejected takes along those that wait behind it, so that no entry is stored whose predecessor is not.
 * A rejected entry may be found whole until the next append has settled; then it is gone, unless a process that opened the journal in
 * between has kept it.
 *
 * Law: an acknowledged entry of the journal survives kill -9.
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
  /** Where it is, for people. */
  readonly path: string
  /** The length of a last line that a crash or a full disk had left half written, and that was cut off. */
  readonly cutBytes: number
  /** The directory of what belongs to the run beside its journal; absent where there is none. */
  readonly files?: string
  /** Fires once another process has the run; this one then stops as after Ctrl-C. Absent: the kernel lets none have it. */
  readonly lost?: AbortSignal
  /** Waits for appends under way, then releases the lock. */
  close(): Promise<void>
}

/** One journal of a list; one without a header cannot be read, and `problem` says why. */
export interface StoredRun {
  readonly run: string
  readonly header?: JournalHeader
  readonly problem?: string
}

interface Opening {
  /** Ends the wait for a process that may live. */
  readonly signal?: AbortSignal
  /** How long the slots of the run last from now on, where that is another time than before. */
  readonly slotMs?: number
}

/**
 * The journals of one machine, or of one namespace. Rejects with UserError `journal.*` where a person has to do something (no such run,
 * another cluster or version, in use, place not writable), with WorldError JOURNAL_WRITE where the disk or the API server fails.
 *
 * Law: one process at a time works on a run.
 */
export interface JournalStore {
  /** `slotMs`: how long the slots of the run last without a renewal; a process that has the journal takes them at once. */
  create(beginning: JournalBeginning, slotMs?: number): Promise<OpenJournal>
  /**
   * For one process at a time: `resume` and `abort` of a run that another process has in work are refused. May first have to watch for
   * some minutes whether that process lives.
   */
  open(run: string, cluster: string, opening?: Opening): Promise<OpenJournal>
  /** Without a lock, at any time: for reports and status. */
  read(run: string): Promise<StoredJournal>
  /** All lines as they are stored, also those of a journal that cannot be read. */
  text(run: string): Promise<string>
  /** Whether a process has the run in work now, as far as that can be known at one look. For people. */
  inUse(run: string): Promise<boolean>
  /** The place of the journals, for people: a directory, or `configmaps:NAMESPACE`. */
  readonly directory: string
  /** The path of the journal, for people. */
  pathOf(run: string): string
  /** The directory of what belongs to a run beside its journal; undefined where there is none. */
  filesOf(run: string): string | undefined
  /** Newest first, by the time in their headers; journals that cannot be read come last. */
  runs(): Promise<readonly StoredRun[]>
  /** Removes the journal of a run. Absent: that is for people alone. */
  remove?(run: string): Promise<void>
}
