import { readLatency } from '../../src/adapters/node/latency-file.ts'
import { systemClock } from '../../src/adapters/node/system-clock.ts'
import { systemRandom } from '../../src/adapters/node/system-random.ts'
import { planRefusal } from '../../src/cli/roll/plan-refusal.ts'
import type { RollActions, RollHistory, RollIo, RollRequest, RunRequest } from '../../src/cli/roll-actions.ts'
import { isJournaledEvent } from '../../src/controllers/roll/journaled-event.ts'
import { hasJournal, newestRun } from '../../src/controllers/roll/newest-run.ts'
import { goesBy, plannedEntry } from '../../src/controllers/roll/run-from-journal.ts'
import { chosenBy, newRun } from '../../src/controllers/roll/run-state.ts'
import type { RollPlan } from '../../src/model/roll-plan.ts'
import { toIso } from '../../src/model/time.ts'
import type { Verdict } from '../../src/model/verdict.ts'
import { runOrigin } from '../../src/report/document/run-origin.ts'
import { makePlan } from './make-plan.ts'
import { leftOut, putBack } from './put-back.ts'
import { runEngine } from './run-engine.ts'
import { goOn, untilEngine } from './take-up.ts'
import { clusterOf, journals, type RollSurroundings } from './world.ts'

/** What the roll commands do, on the real world. */
export function rollActions(surroundings: RollSurroundings): RollActions {
  const plan = (request: RollRequest, signal: AbortSignal): Promise<RollPlan> => makePlan(request, surroundings, signal)
  return {
    plan,
    roll: (request, io) => begin(request, surroundings, io),
    resume: (request, io) => goOn(request, { surroundings, io }),
    abort: (request, io) => abort(request, surroundings, io),
    history: (request) => history(request, surroundings),
    leftOut: (request, signal) => leftOut(request, surroundings, signal),
  }
}

const ABORTED: Verdict = {
  kind: 'aborted',
  keepOut: false,
  reasons: [{ code: 'Aborted', text: 'the roll was aborted; nodes that are out are put back' }],
}

async function begin(request: RollRequest, surroundings: RollSurroundings, io: RollIo): Promise<void> {
  const plan = request.plan ?? (await makePlan(request, surroundings, io.interrupt))
  const refusal = planRefusal(plan)
  if (refusal !== undefined) throw refusal
  const place = await clusterOf(request, surroundings, io.interrupt)
  const store = journals(request, surroundings)
  const wall = systemClock.wallMs()
  const at = toIso(wall)
  const order = plan.nodes.map(({ node }) => node)
  const run = newRun({ spec: request.spec, order, ...chosenBy(plan) }, { wall, suffix: systemRandom.hex(2) })
  const journal = await store.create({ at, run: run.id, cluster: place.uid, tool: surroundings.version })
  await untilEngine(journal, () => journal.append(plannedEntry(run, { at, clusterName: plan.cluster })))
  await runEngine({ run, place, clusterName: plan.cluster, journal, firstSeq: 0, log: surroundings.log }, io)
}

/** By a file, what has no journal here is put back by what the nodes tell. */
async function abort(request: RunRequest, surroundings: RollSurroundings, io: RollIo): Promise<void> {
  const { file, run } = request
  const lost = file !== undefined && run !== undefined && !(await hasJournal(journals(request, surroundings), run))
  if (lost) await putBack({ ...request, file, run }, { surroundings, io, verdict: ABORTED })
  else await goOn(request, { surroundings, io, verdict: ABORTED })
}

async function history(request: RunRequest, surroundings: RollSurroundings): Promise<RollHistory> {
  const store = journals(request, surroundings)
  const run = request.run ?? (await newestRun(store))
  const stored = await store.read(run)
  const spec = goesBy(stored.entries)?.spec
  const journal = store.pathOf(run)
  return {
    run,
    events: stored.entries.filter(isJournaledEvent),
    running: await store.inUse(run),
    journal,
    tool: stored.header.tool,
    origin: runOrigin([{ ...stored.header }, ...stored.entries.slice(0, 3)]),
    latency: await readLatency(journal),
    ...(spec === undefined ? {} : { spec }),
  }
}
