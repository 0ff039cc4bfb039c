import { isRunName } from '../../ground/model/run-name.ts'
import { evenkeel, type Sentence, say } from '../../ground/model/sentence.ts'
import { UserError } from '../../ground/model/user-error.ts'
import type { JournalBeginning, JournalEntry, JournalHeader, StoredJournal, StoredRun } from '../ports/journal.ts'
import { asHeader, headerVersion, type JournalLines } from './journal-lines.ts'

/** One journal, wherever it is stored, as the errors about it name it. */
export interface Where {
  readonly run: string
  readonly path: string
  /** How to repair it, or to put it out of the way. */
  readonly repair: Sentence
}

export const headerOf = ({ at, run, cluster, tool }: JournalBeginning): JournalHeader => ({
  ...{ at, type: 'journal', v: 1 },
  ...{ run, cluster, tool },
})

/** Throws UserError where it is empty, damaged, of another run or of another format. */
export function checked({ entries: [first, ...entries], damagedLine }: JournalLines, where: Where): StoredJournal {
  if (first === undefined && damagedLine === undefined) throw emptyJournal(where)
  const header = checkedHeader(first, where)
  if (damagedLine !== undefined) throw damaged(where, `line ${damagedLine} is not an entry, and others follow it`)
  return { header, entries }
}

export function checkedHeader(first: JournalEntry | undefined, where: Where): JournalHeader {
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

export function checkCluster(header: JournalHeader, cluster: string): void {
  if (header.cluster === cluster) return
  throw new UserError(`run ${header.run} belongs to cluster ${header.cluster}; this is ${cluster}`, {
    code: 'journal.other-cluster',
    fix: 'choose the context of the cluster on which the run was begun',
  })
}

export function newestFirst(left: StoredRun, right: StoredRun): number {
  const [ours, theirs] = [left.header?.at ?? '', right.header?.at ?? '']
  return ours === theirs ? (left.run < right.run ? 1 : -1) : ours < theirs ? 1 : -1
}

export const unknownRun = (run: string, directory: string): UserError =>
  new UserError(`no run ${JSON.stringify(run)} in ${directory}`, {
    code: 'journal.unknown-run',
    fix: isRunName(run)
      ? say`name the place of its journal with --state-dir; if the journal is lost: ${evenkeel`roll abort ${run} -f roll.yaml`}`
      : say`name the run as ${evenkeel`roll list`} shows it; without a name it is the run begun last`,
  })

export const runExists = (run: string, path: string): UserError =>
  new UserError(`run ${run} exists already: ${path}`, { code: 'journal.run-exists' })

export const runInUse = (run: string): UserError =>
  new UserError(`another process works on run ${run}`, {
    code: 'journal.in-use',
    fix: 'wait until it has ended, or stop it with Ctrl-C',
  })

const emptyJournal = ({ run, path }: Where): UserError =>
  new UserError(`run ${run} was never begun: ${path} holds nothing`, {
    code: 'journal.empty',
    fix: 'start a new roll; this run changed nothing',
  })

export const damaged = ({ path, repair }: Where, what: string): UserError =>
  new UserError(`${path} cannot be trusted: ${what}`, {
    code: 'journal.damaged',
    fix: say`${repair}, then: ${evenkeel`roll abort -f roll.yaml`}`,
  })
