import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { JournalEntry, JournalHeader, OpenJournal } from '../../../src/roll/ports/journal.ts'

/**
 * What the disk under a journal does with the next entry. `slow`: the entry is written at once, and synced late. `away`: it is refused late,
 * as by an API server that does not answer.
 */
export type DiskLuck =
  | { readonly kind: 'well' | 'full' | 'failing' }
  | { readonly kind: 'slow' | 'away'; readonly byMs: number }

/** The disk of the machine that runs the roll. */
export interface Disk {
  readonly luckOf: (entry: JournalEntry) => DiskLuck
  readonly onSynced: (entry: JournalEntry) => void
}

const REFUSALS = {
  full: 'ENOSPC: no space left on device, write',
  failing: 'EIO: i/o error, fdatasync',
} as const

const refusal = (why: string): WorldError =>
  new WorldError(`cannot write the journal: ${why}`, { code: 'JOURNAL_WRITE', retry: 'backoff' })

/** A journal as its file would hold it, for processes that come and go. */
export class MemoryJournal {
  readonly header: JournalHeader
  disk: Disk = { luckOf: () => ({ kind: 'well' }), onSynced: () => undefined }
  readonly #lines: string[] = []
  /** Written, not synced, and not cut off again: a reader takes it for an entry until the next one is written over it. */
  #unsynced: string | undefined

  constructor(header: JournalHeader) {
    this.header = header
  }

  get entries(): readonly JournalEntry[] {
    const lines = this.#unsynced === undefined ? this.#lines : [...this.#lines, this.#unsynced]
    return lines.map((line) => JSON.parse(line) as JournalEntry)
  }

  get length(): number {
    return this.#lines.length
  }

  append(entry: JournalEntry): void {
    this.#unsynced = undefined
    this.#lines.push(JSON.stringify(entry))
  }

  /** As a process has it: settles when the entry is synced, rejects where the disk refuses it. */
  write(entry: JournalEntry, sleep: (ms: number) => Promise<void>): Promise<void> {
    const luck = this.disk.luckOf(entry)
    if (luck.kind === 'away') return sleep(luck.byMs).then(() => Promise.reject(refusal('no answer')))
    if (luck.kind === 'full' || luck.kind === 'failing') {
      this.#unsynced = luck.kind === 'failing' ? JSON.stringify(entry) : undefined
      return Promise.reject(refusal(REFUSALS[luck.kind]))
    }
    this.append(entry)
    if (luck.kind === 'slow') return sleep(luck.byMs).then(() => this.disk.onSynced(entry))
    this.disk.onSynced(entry)
    return Promise.resolve()
  }

  /** What one process has of it. */
  opened(append: (entry: JournalEntry) => Promise<void>): OpenJournal {
    if (this.#unsynced !== undefined) this.#lines.push(this.#unsynced)
    this.#unsynced = undefined
    return {
      run: this.header.run,
      path: 'in memory',
      header: this.header,
      entries: this.entries,
      cutBytes: 0,
      append,
      close: () => Promise.resolve(),
    }
  }
}
