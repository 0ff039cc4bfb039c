import { systemClock } from '../../src/adapters/node/system-clock.ts'
import { planRefusal } from '../../src/cli/roll/plan-refusal.ts'
import type { FileOfRun, RollIo, RunRequest } from '../../src/cli/roll-actions.ts'
import { amendRun } from '../../src/controllers/roll/amend-run.ts'
import { runFromJournal } from '../../src/controllers/roll/run-from-journal.ts'
import type { RunState } from '../../src/controllers/roll/run-state.ts'
import { restOfPlan } from '../../src/core/roll/takeup/rest-of-plan.ts'
import type { RollSpec } from '../../src/model/roll-spec.ts'
import { toIso } from '../../src/model/time.ts'
import { UserError } from '../../src/model/user-error.ts'
import type { Verdict } from '../../src/model/verdict.ts'
import type { OpenJournal } from '../../src/ports/journal.ts'
import { makePlan } from './make-plan.ts'
import { newestRun } from './newest-run.ts'
import { runEngine } from './run-engine.ts'
import { type ClusterPlace, clusterOf, journals, type RollSurroundings } from './world.ts'

export interface TakeUp {
  readonly surroundings: RollSurroundings
  readonly io: RollIo
  /** Absent: go on. */
  readonly verdict?: Verdict
}

/** Goes on with a run where its journal ends, or ends it; with a file, by that one. */
export async function takeUp(request: RunRequest, taking: TakeUp): Promise<void> {
  const { surroundings, io, verdict } = taking
  const store = journals(request, surroundings)
  const id = request.run ?? (await newestRun(store))
  await store.read(id)
  const place = await clusterOf(request, surroundings, io.interrupt)
  const journal = await store.open(id, place.uid)
  const { run, clusterName, firstSeq } = await untilEngine(journal, async () => {
    const found = runFromJournal(journal)
    if (verdict === undefined && found.run.restoresAs !== undefined) throw onlyRestores(found.run)
    const { file } = request
    return file === undefined
      ? found
      : { ...found, run: await amended(found.run, { ...taking, request, file, journal, place }) }
  })
  await runEngine({ run: { ...run, verdict }, place, clusterName, journal, firstSeq, log: surroundings.log }, io)
}

/** Until the engine has the journal and closes it: whatever fails must not leave it locked. */
export async function untilEngine<T>(journal: OpenJournal, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await journal.close()
    throw error
  }
}

interface Amending extends TakeUp {
  readonly request: RunRequest
  readonly file: FileOfRun
  readonly journal: OpenJournal
  readonly place: ClusterPlace
}

async function amended(run: RunState, amending: Amending): Promise<RunState> {
  const { request, file, journal, place, surroundings, io, verdict } = amending
  const plan = async (rest: RollSpec, underWay: readonly string[]): Promise<void> => {
    const made = await makePlan({ ...request, spec: rest }, surroundings, io.interrupt)
    const refusal = planRefusal(restOfPlan(made, underWay))
    if (refusal !== undefined) throw refusal
  }
  const found = await amendRun({
    run,
    wanted: file.spec,
    nodes: await place.cluster.list('nodes', io.interrupt),
    journal,
    at: toIso(systemClock.wallMs()),
    refusal: (findings) => file.refusal(findings),
    ...(verdict === undefined ? { plan } : {}),
  })
  if (found.strangers.length > 0) surroundings.log.warn(strangersText(file.name, found.strangers))
  return found.run
}

const NAMED_MAX = 5

function strangersText(file: string, names: readonly string[]): string {
  const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : ''
  const which = `${names.slice(0, NAMED_MAX).join(', ')}${more}`
  return `${file} chooses nodes that this run does not have; roll them when it has ended: ${which}`
}

const onlyRestores = ({ id }: RunState): UserError =>
  new UserError(`this journal of run ${id} was made to put back what that run left, and knows nothing of its plan`, {
    code: 'journal.restores',
    fix: `evenkeel roll abort ${id}, then begin a new roll`,
  })
