import { type FileHandle, mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type FileLock, tryLock } from '../../ground/machine/file-lock.ts'
import { isRunName } from '../../ground/model/run-name.ts'
import type {
  JournalBeginning,
  JournalHeader,
  JournalStore,
  OpenJournal,
  StoredJournal,
  StoredRun,
} from '../ports/journal.ts'
import { FileJournal, writeAll } from './file-journal.ts'
import {
  checkCluster,
  checked,
  checkedHeader,
  headerOf,
  newestFirst,
  runExists,
  runInUse,
  unknownRun,
  type Where,
} from './journal-checks.ts'
import { journalError } from './journal-error.ts'
import { parseJournalLines } from './journal-lines.ts'

const JOURNAL_FILE = 'journal.jsonl'
const LOCK_FILE = 'lock.db'
const HEADER_BYTES_MAX = 4096

/** Journals as files, `<state>/<run>/journal.jsonl`; private to the user. */
export class FileJournalStore implements JournalStore {
  readonly directory: string

  constructor(stateDir: string) {
    this.directory = stateDir
  }

  async create(beginning: JournalBeginning): Promise<OpenJournal> {
    const header = headerOf(beginning)
    const { run } = header
    const directory = this.#directoryOf(run)
    try {
      await makePrivateDirectory(this.directory)
      await mkdir(directory, { mode: 0o700 })
    } catch (error) {
      if (hasCode(error, 'EEXIST')) throw runExists(run, directory)
      throw journalError(error, directory)
    }
    try {
      return await this.#begin(header, directory)
    } catch (error) {
      await rm(directory, { recursive: true, force: true })
      throw journalError(error, directory)
    }
  }

  async open(run: string, cluster: string): Promise<OpenJournal> {
    const directory = this.#directoryOf(run)
    await this.read(run)
    const lock = await locked(directory, run)
    try {
      return await this.#reopen(run, cluster, lock)
    } catch (error) {
      lock.release()
      throw journalError(error, directory)
    }
  }

  async read(run: string): Promise<StoredJournal> {
    const path = join(this.#directoryOf(run), JOURNAL_FILE)
    try {
      return checked(parseJournalLines(await readFile(path)), this.#where(run))
    } catch (error) {
      if (hasCode(error, 'ENOENT')) throw unknownRun(run, this.directory)
      throw journalError(error, path)
    }
  }

  async runs(): Promise<readonly StoredRun[]> {
    try {
      const found = await readdir(this.directory, { withFileTypes: true })
      const names = found.filter((entry) => entry.isDirectory() && isRunName(entry.name)).map(({ name }) => name)
      return (await Promise.all(names.map((run) => this.#storedRun(run)))).sort(newestFirst)
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return []
      throw journalError(error, this.directory)
    }
  }

  pathOf(run: string): string {
    return join(this.#directoryOf(run), JOURNAL_FILE)
  }

  filesOf(run: string): string {
    return this.#directoryOf(run)
  }

  text(run: string): Promise<string> {
    return readFile(this.pathOf(run), 'utf8')
  }

  /** Takes the lock for a moment if no process has it. */
  async inUse(run: string): Promise<boolean> {
    const lock = await tryLock(join(this.#directoryOf(run), LOCK_FILE))
    lock?.release()
    return lock === undefined
  }

  #where(run: string): Where {
    return { run, path: this.pathOf(run), repair: 'restore the file; or move its directory away' }
  }

  #directoryOf(run: string): string {
    // The name can never lead out of our directory.
    if (!isRunName(run)) throw unknownRun(run, this.directory)
    return join(this.directory, run)
  }

  async #begin(header: JournalHeader, directory: string): Promise<OpenJournal> {
    const lock = await locked(directory, header.run)
    const path = join(directory, JOURNAL_FILE)
    let file: FileHandle | undefined
    try {
      file = await open(path, 'wx', 0o600)
      const line = Buffer.from(`${JSON.stringify(header)}\n`)
      await writeAll(file, line, 0)
      await file.datasync()
      // A synced file whose name is not synced may be gone after a power cut.
      for (const made of [directory, this.directory]) await syncDirectory(made)
      return new FileJournal({ path, file, lock, header, entries: [], sizeBytes: line.length, cutBytes: 0 })
    } catch (error) {
      await file?.close()
      lock.release()
      throw error
    }
  }

  async #reopen(run: string, cluster: string, lock: FileLock): Promise<OpenJournal> {
    const path = join(this.#directoryOf(run), JOURNAL_FILE)
    const file = await open(path, 'r+')
    try {
      const bytes = await file.readFile()
      const lines = parseJournalLines(bytes)
      const { header, entries } = checked(lines, this.#where(run))
      checkCluster(header, cluster)
      const cutBytes = bytes.length - lines.goodBytes
      if (cutBytes > 0) {
        await file.truncate(lines.goodBytes)
        await file.datasync()
      }
      return new FileJournal({ path, file, lock, header, entries, sizeBytes: lines.goodBytes, cutBytes })
    } catch (error) {
      await file.close()
      throw error
    }
  }

  async #storedRun(run: string): Promise<StoredRun> {
    const path = join(this.#directoryOf(run), JOURNAL_FILE)
    try {
      const first = parseJournalLines(await readStart(path)).entries.slice(0, 1)
      return { run, header: checkedHeader(first[0], this.#where(run)) }
    } catch (error) {
      return { run, problem: error instanceof Error ? error.message : String(error) }
    }
  }
}

async function locked(directory: string, run: string): Promise<FileLock> {
  const lock = await tryLock(join(directory, LOCK_FILE))
  if (lock === undefined) throw runInUse(run)
  return lock
}

async function readStart(path: string): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES_MAX), 0, HEADER_BYTES_MAX, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Makes the directories above it, too. Node's own recursive mkdir never ends under /proc. */
async function makePrivateDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return
    if (!hasCode(error, 'ENOENT') || dirname(path) === path) throw error
    await makePrivateDirectory(dirname(path))
    await mkdir(path, { mode: 0o700 })
  }
  await syncDirectory(dirname(path))
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
