import { systemClock } from '../../src/adapters/node/system-clock.ts'
import { planRefusal } from '../../src/cli/roll/plan-refusal.ts'
import type { RollIo, RunRequest } from '../../src/cli/roll-actions.ts'
import { newestRun } from '../../src/controllers/roll/newest-run.ts'
import { type Amending, takeUp } from '../../src/controllers/roll/take-up.ts'
import { toIso } from '../../src/model/time.ts'
import type { Verdict } from '../../src/model/verdict.ts'
import type { OpenJournal } from '../../src/ports/journal.ts'
import { makePlan } from './make-plan.ts'
import { runEngine } from './run-engine.ts'
import { type ClusterPlace, clusterOf, journals, type RollSurroundings } from './world.ts'

export interface TakeUp {
  readonly surroundings: RollSurroundings
  readonly io: RollIo
  /** Absent: go on. */
  readonly verdict?: Verdict
}

/** Opens the journal of a run, and goes on with it. */
export async function goOn(request: RunRequest, taking: TakeUp): Promise<void> {
  const { surroundings, io, verdict } = taking
  const store = journals(request, surroundings)
  const id = request.run ?? (await newestRun(store))
  await store.read(id)
  const place = await clusterOf(request, surroundings, io.interrupt)
  const journal = await store.open(id, place.uid)
  const amending = amendingOf(request, taking, place)
  const { run, clusterName, firstSeq } = await untilEngine(journal, () =>
    takeUp({
      journal,
      ...(amending === undefined ? {} : { amending }),
      ...(verdict === undefined ? {} : { verdict }),
    }),
  )
  await runEngine({ run, place, clusterName, journal, firstSeq, log: surroundings.log, env: surroundings.env }, io)
}

function amendingOf(
  request: RunRequest,
  { surroundings, io }: TakeUp,
  { cluster }: ClusterPlace,
): Amending | undefined {
  const { file } = request
  if (file === undefined) return undefined
  return {
    file,
    at: toIso(systemClock.wallMs()),
    nodes: () => cluster.list('nodes', io.interrupt),
    plan: (spec) => makePlan({ ...request, spec }, surroundings, io.interrupt),
    refusal: planRefusal,
    warn: (text) => surroundings.log.warn(text),
  }
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
