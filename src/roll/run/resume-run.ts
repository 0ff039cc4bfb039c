import type { Node } from '../../ground/model/node.ts'
import { evenkeel, say } from '../../ground/model/sentence.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { restOfPlan, type UnderWay } from '../decide/resume/rest-of-plan.ts'
import type { SpecFinding } from '../model/file-finding.ts'
import type { RollPlan } from '../model/roll-plan.ts'
import type { RollSpec } from '../model/roll-spec.ts'
import type { Verdict } from '../model/verdict.ts'
import type { Journal, StoredJournal } from '../ports/journal.ts'
import { amendRun, type RestOfRun } from './amend-run.ts'
import { type ResumedRun, runFromJournal, verdictBefore } from './run-from-journal.ts'
import type { RunState } from './run-state.ts'

/** A roll file for a run that has begun already, by another one or by one that is lost. */
export interface FileOfRun {
  readonly name: string
  readonly spec: RollSpec
  /** What stands against it, each thing at its line of the file. */
  refusal(findings: readonly SpecFinding[]): UserError
}

/** What a run is to go on by that has begun already. */
export interface Amending {
  readonly file: FileOfRun
  readonly at: string
  readonly nodes: () => Promise<readonly Node[]>
  readonly plan: (rest: RestOfRun) => Promise<RollPlan>
  /** What is said of a plan that must not be begun. */
  readonly refusal: (plan: RollPlan) => UserError | undefined
  readonly warn: (text: string) => void
}

interface Resuming {
  readonly journal: Journal & StoredJournal
  /** Absent: by what it went by before. */
  readonly amending?: Amending
  /** Absent: go on. */
  readonly verdict?: Verdict
  /** What stopped the last process of the run stays in force. */
  readonly keepsVerdict?: true
}

/**
 * Goes on with a run where its journal ends, or ends it; with a file, by that one. Rejects with UserError where that may not
 * be, with WorldError where it cannot be asked now.
 */
export async function resumeRun({ journal, amending, verdict, keepsVerdict }: Resuming): Promise<ResumedRun> {
  const found = runFromJournal(journal)
  if (verdict === undefined && found.run.restoresAs !== undefined) throw onlyRestores(found.run)
  const run = amending === undefined ? found.run : await amended(found.run, { ...amending, journal, verdict })
  const kept = keepsVerdict === true ? verdictBefore(journal.entries) : undefined
  return { ...found, run: { ...run, verdict, ...(kept === undefined ? {} : { ...kept, keepsVerdict: true }) } }
}

async function amended(
  run: RunState,
  amending: Amending & { readonly journal: Journal; readonly verdict: Verdict | undefined },
): Promise<RunState> {
  const { file, journal, at, verdict } = amending
  const plan = async (rest: RestOfRun, underWay: readonly UnderWay[]): Promise<void> => {
    const refusal = amending.refusal(restOfPlan(await amending.plan(rest), underWay))
    if (refusal !== undefined) throw refusal
  }
  const found = await amendRun({
    run,
    wanted: file.spec,
    nodes: await amending.nodes(),
    journal,
    at,
    refusal: (findings) => file.refusal(findings),
    ...(verdict === undefined ? { plan } : {}),
  })
  if (found.strangers.length > 0) amending.warn(strangersText(file.name, found.strangers))
  return found.run
}

const NAMED_MAX = 5

function strangersText(file: string, names: readonly string[]): string {
  const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : ''
  const which = `${names.slice(0, NAMED_MAX).join(', ')}${more}`
  return `${file} chooses nodes that are not in this run; roll them after it has ended: ${which}`
}

const onlyRestores = ({ id }: RunState): UserError =>
  new UserError(
    `this journal of run ${id} was made only to put back what that run left out, and does not contain its plan`,
    {
      code: 'journal.restores',
      fix: say`${evenkeel`roll abort ${id}`}, then begin a new roll`,
    },
  )
