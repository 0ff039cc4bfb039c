import { open } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'

const SQLITE_BUSY = 5

export interface FileLock {
  release(): void
}

/**
 * An exclusive lock on a file, owned by the kernel: it ends with the process, also after kill -9, and holds whatever
 * network namespace the processes are in. Undefined where another process has it.
 *
 * Node has no flock(2) or fcntl(2); SQLite, which comes with it, takes an fcntl write lock for `BEGIN EXCLUSIVE`. No
 * database is ever written. Mind POSIX: closing *any* descriptor of the file ends the lock, so no code in this process
 * may open it by another way.
 */
export async function tryLock(path: string): Promise<FileLock | undefined> {
  await createPrivate(path)
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    // Without a journal of SQLite: a full disk must not keep a run from being resumed.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (isBusy(error)) return undefined
    throw error
  }
  return { release: () => database.close() }
}

/** SQLite would make the file readable for all. An existing file is not opened: see above. */
async function createPrivate(path: string): Promise<void> {
  try {
    const file = await open(path, 'wx', 0o600)
    await file.close()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
