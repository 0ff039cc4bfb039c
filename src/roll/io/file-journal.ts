import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FileLock } from '../../ground/machine/file-lock.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { JournalEntry, JournalHeader, OpenJournal } from '../ports/journal.ts'
import { journalError } from './journal-error.ts'

export type JournalFile = Pick<FileHandle, 'write' | 'datasync' | 'truncate' | 'stat' | 'close'>

interface FileJournalParts {
  readonly path: string
  readonly file: JournalFile
  readonly lock: FileLock
  readonly header: JournalHeader
  readonly entries: readonly JournalEntry[]
  /** Length of the file, all of it synced. */
  readonly sizeBytes: number
  readonly cutBytes: number
}

/**
 * One journal, held open and locked. Appends are written one after the other, each synced before the next begins.
 */
export class FileJournal implements OpenJournal {
  readonly run: string
  readonly path: string
  readonly files: string
  readonly header: JournalHeader
  readonly entries: readonly JournalEntry[]
  readonly cutBytes: number
  readonly #file: JournalFile
  readonly #lock: FileLock
  #sizeBytes: number
  /** There may be unsynced bytes behind `#sizeBytes`: they are cut off before anything else is written. */
  #spoiled = false
  #turn: Promise<void> = Promise.resolve()
  /** Why the last append failed that did; those that waited behind it fail with it. */
  #failure: { readonly error: unknown } | undefined

  constructor({ path, file, lock, header, entries, sizeBytes, cutBytes }: FileJournalParts) {
    this.run = header.run
    this.header = header
    this.entries = entries
    this.cutBytes = cutBytes
    this.path = path
    this.files = dirname(path)
    this.#file = file
    this.#lock = lock
    this.#sizeBytes = sizeBytes
  }

  append(entry: JournalEntry): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(entry)}\n`)
    const before = this.#failure
    const appended = this.#turn.then(() => {
      if (this.#failure !== before) throw this.#failure?.error
      return this.#write(line)
    })
    this.#turn = appended.catch(() => undefined)
    return appended
  }

  async close(): Promise<void> {
    await this.#turn
    await this.#file.close()
    this.#lock.release()
  }

  async #write(line: Buffer): Promise<void> {
    try {
      if (this.#spoiled) await this.#cut()
      await this.#mustExist()
      this.#spoiled = true
      // Written at its offset and not at the end: this overwrites what a failed write may have left there.
      await writeAll(this.#file, line, this.#sizeBytes)
      await this.#file.datasync()
      this.#sizeBytes += line.length
      this.#spoiled = false
    } catch (error) {
      // If this fails too, it is tried again before the next entry; until then a reader finds a torn last line.
      await this.#cut().catch(() => undefined)
      this.#failure = { error: journalError(error, this.path) }
      throw this.#failure.error
    }
  }

  async #cut(): Promise<void> {
    await this.#file.truncate(this.#sizeBytes)
    await this.#file.datasync()
    this.#spoiled = false
  }

  /** A file that was removed can still be written, and all of that is lost. */
  async #mustExist(): Promise<void> {
    const { nlink } = await this.#file.stat()
    if (nlink === 0) throw new WorldError(`${this.path} was removed`, { code: 'JOURNAL_WRITE', retry: 'never' })
  }
}

/** A disk that is nearly full writes a part and reports that only at the next write. */
export async function writeAll(file: Pick<FileHandle, 'write'>, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}
