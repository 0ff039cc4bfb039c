import { type FileHandle, mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type FileLock, tryLock } from '../../ground/machine/file-lock.ts'
import { isRunName } from '../../ground/model/run-name.ts'
import { evenkeel, say } from '../../ground/model/sentence.ts'
import { UserError } from '../../ground/model/user-error.ts'
import type {
  JournalBeginning,
  JournalEntry,
  JournalHeader,
  JournalStore,
  OpenJournal,
  StoredJournal,
  StoredRun,
} from '../ports/journal.ts'
import { FileJournal, writeAll } from './file-journal.ts'
import { journalError } from './journal-error.ts'
import { asHeader, headerVersion, type JournalLines, parseJournalLines } from './journal-lines.ts'

const JOURNAL_FILE = 'journal.jsonl'
const LOCK_FILE = 'lock.db'
const HEADER_BYTES_MAX = 4096

/** Journals as files, `<state>/<run>/journal.jsonl`; private to the user. */
export class FileJournalStore implements JournalStore {
  readonly directory: string

  constructor(stateDir: string) {
    this.directory = stateDir
  }

  async create({ at, run, cluster, tool }: JournalBeginning): Promise<OpenJournal> {
    const header: JournalHeader = { at, type: 'journal', v: 1, run, cluster, tool }
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
      return checked(parseJournalLines(await readFile(path)), { run, path })
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

  /** Takes the lock for a moment if no process has it. */
  async inUse(run: string): Promise<boolean> {
    const lock = await tryLock(join(this.#directoryOf(run), LOCK_FILE))
    lock?.release()
    return lock === undefined
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
      const { header, entries } = checked(lines, { run, path })
      if (header.cluster !== cluster) throw otherCluster(header, cluster)
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
      return { run, header: checkedHeader(first[0], { run, path }) }
    } catch (error) {
      return { run, problem: error instanceof Error ? error.message : String(error) }
    }
  }
}

interface Where {
  readonly run: string
  readonly path: string
}

function checked({ entries: [first, ...entries], damagedLine }: JournalLines, where: Where): StoredJournal {
  if (first === undefined && damagedLine === undefined) throw emptyJournal(where)
  const header = checkedHeader(first, where)
  if (damagedLine !== undefined) throw damaged(where, `line ${damagedLine} is not an entry, and others follow it`)
  return { header, entries }
}

function checkedHeader(first: JournalEntry | undefined, where: Where): JournalHeader {
  if (first === undefined) throw damaged(where, 'it has no header')
  const header = asHeader(first)
  if (header !== undefined && header.run === where.run) return header
  if (header !== undefined) throw damaged(where, `it is the journal of run ${header.run}`)
  const version = headerVersion(first)
  if (version === undefined || version === 1) throw damaged(where, 'its first line is not a header')
  throw new UserError(`the journal of run ${where.run} has format ${version}; this Even Keel reads format 1`, {
    code: 'journal.version',
    fix: 'use the version of Even Keel that began the run',
  })
}

async function locked(directory: string, run: string): Promise<FileLock> {
  const lock = await tryLock(join(directory, LOCK_FILE))
  if (lock !== undefined) return lock
  throw new UserError(`another process works on run ${run}`, {
    code: 'journal.in-use',
    fix: 'wait until it has ended, or stop it with Ctrl-C',
  })
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

function newestFirst(left: StoredRun, right: StoredRun): number {
  const [ours, theirs] = [left.header?.at ?? '', right.header?.at ?? '']
  return ours === theirs ? (left.run < right.run ? 1 : -1) : ours < theirs ? 1 : -1
}

const unknownRun = (run: string, stateDir: string): UserError =>
  new UserError(`no run ${JSON.stringify(run)} in ${stateDir}`, {
    code: 'journal.unknown-run',
    fix: isRunName(run)
      ? say`name its directory with --state-dir; if the journal is lost: ${evenkeel`roll abort ${run} -f roll.yaml`}`
      : 'name the run by its directory; without a name it is the run begun last',
  })

const runExists = (run: string, directory: string): UserError =>
  new UserError(`run ${run} exists already: ${directory}`, { code: 'journal.run-exists' })

const emptyJournal = ({ run, path }: Where): UserError =>
  new UserError(`run ${run} was never begun: ${path} holds nothing`, {
    code: 'journal.empty',
    fix: 'start a new roll; this run changed nothing',
  })

const damaged = ({ path }: Where, what: string): UserError =>
  new UserError(`${path} cannot be trusted: ${what}`, {
    code: 'journal.damaged',
    fix: say`restore the file; or move its directory away, then: ${evenkeel`roll abort -f roll.yaml`}`,
  })

const otherCluster = (header: JournalHeader, cluster: string): UserError =>
  new UserError(`run ${header.run} belongs to cluster ${header.cluster}; this is ${cluster}`, {
    code: 'journal.other-cluster',
    fix: 'choose the context of the cluster on which the run was begun',
  })
