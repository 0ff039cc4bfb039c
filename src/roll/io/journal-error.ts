import { UserError } from '../../ground/model/user-error.ts'
import { WorldError } from '../../ground/model/world-error.ts'

/** Errors that a person has to solve: rights, a path that is no directory, a read-only mount. */
const PERSONS = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

/** The error to throw for a failed call on `path`; `error` as Node threw it. */
export function journalError(error: unknown, path: string): unknown {
  if (error instanceof UserError || error instanceof WorldError || !(error instanceof Error)) return error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  // The lock's file cannot be opened or locked: rights again, or a file system that knows no locks.
  const lockFailed = code === 'ERR_SQLITE_ERROR'
  if (!lockFailed && (!code.startsWith('E') || code.startsWith('ERR_'))) return error
  if (lockFailed || PERSONS.has(code)) {
    return new UserError(`cannot use ${path} for the journal: ${error.message}`, {
      code: 'journal.state-dir',
      fix: 'choose a directory of your own with --state-dir',
      cause: error,
    })
  }
  return new WorldError(`cannot write the journal ${path}: ${error.message}`, {
    code: 'JOURNAL_WRITE',
    retry: 'backoff',
    cause: error,
  })
}
