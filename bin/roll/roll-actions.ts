import { systemClock } from '../../src/adapters/node/system-clock.ts'
import { systemRandom } from '../../src/adapters/node/system-random.ts'
import { planRefusal } from '../../src/cli/roll/plan-refusal.ts'
import type { RollActions, RollHistory, RollIo, RollRequest, RunRequest } from '../../src/cli/roll-actions.ts'
import { isJournaledEvent } from '../../src/controllers/roll/journaled-event.ts'
import { prepare } from '../../src/controllers/roll/prepare.ts'
import { runFromJournal } from '../../src/controllers/roll/run-from-journal.ts'
import type { RunState } from '../../src/controllers/roll/run-state.ts'
import type { RollPlan } from '../../src/model/roll-plan.ts'
import { toIso } from '../../src/model/time.ts'
import type { Verdict } from '../../src/model/verdict.ts'
import { hostOf } from './host.ts'
import { newestRun } from './newest-run.ts'
import { runEngine } from './run-engine.ts'
import { balancersOf, clusterOf, journals, type RollSurroundings } from './world.ts'

/** What the roll commands do, on the real world. */
export function rollActions(surroundings: RollSurroundings): RollActions {
  const plan = (request: RollRequest, signal: AbortSignal): Promise<RollPlan> => makePlan(request, surroundings, signal)
  return {
    plan,
    roll: (request, io) => begin(request, surroundings, io),
    resume: (request, io) => takeUp(request, { surroundings, io }),
    abort: (request, io) => takeUp(request, { surroundings, io, verdict: ABORTED }),
    history: (request) => history(request, surroundings),
  }
}

const ABORTED: Verdict = {
  kind: 'aborted',
  keepOut: false,
  reasons: [{ code: 'Aborted', text: 'the roll was aborted; what is out comes back in' }],
}

async function makePlan(request: RollRequest, surroundings: RollSurroundings, signal: AbortSignal): Promise<RollPlan> {
  const { spec } = request
  const { cluster } = await clusterOf(request, surroundings, signal)
  const balancers = balancersOf(spec)
  const host = hostOf(spec)
  try {
    return await prepare({ spec, clusterName: request.context ?? spec.name, cluster, balancers, host }, signal)
  } finally {
    await Promise.all([...balancers.map((balancer) => balancer.close()), host.close()])
  }
}

async function begin(request: RollRequest, surroundings: RollSurroundings, io: RollIo): Promise<void> {
  const plan = request.plan ?? (await makePlan(request, surroundings, io.interrupt))
  const refusal = planRefusal(plan)
  if (refusal !== undefined) throw refusal
  const place = await clusterOf(request, surroundings, io.interrupt)
  const store = journals(request, surroundings)
  const now = systemClock.wallMs()
  const id = `${toIso(now).slice(0, 19).replaceAll(/[-:]/g, '')}Z-${systemRandom.hex(2)}`
  const order = plan.nodes.map(({ node }) => node)
  const journal = await store.create({ at: toIso(now), run: id, cluster: place.uid, tool: surroundings.version })
  const run: RunState = {
    id,
    spec: request.spec,
    order,
    resumed: false,
    done: [],
    settledHere: [],
    verdict: undefined,
    measuredSince: undefined,
    excused: [],
    evictedBefore: {},
  }
  await journal.append({ at: toIso(now), type: 'planned', spec: request.spec, order, clusterName: plan.cluster })
  await runEngine({ run, place, clusterName: plan.cluster, journal, firstSeq: 0 }, io)
}

interface TakeUp {
  readonly surroundings: RollSurroundings
  readonly io: RollIo
  /** Absent: go on. */
  readonly verdict?: Verdict
}

async function takeUp(request: RunRequest, { surroundings, io, verdict }: TakeUp): Promise<void> {
  const store = journals(request, surroundings)
  const id = request.run ?? (await newestRun(store))
  await store.read(id)
  const place = await clusterOf(request, surroundings, io.interrupt)
  const journal = await store.open(id, place.uid)
  const { run, clusterName, firstSeq } = runFromJournal(journal)
  run.verdict = verdict
  await runEngine({ run, place, clusterName, journal, firstSeq }, io)
}

async function history(request: RunRequest, surroundings: RollSurroundings): Promise<RollHistory> {
  const store = journals(request, surroundings)
  const run = request.run ?? (await newestRun(store))
  const stored = await store.read(run)
  return {
    run,
    events: stored.entries.filter(isJournaledEvent),
    running: await store.inUse(run),
    journal: store.pathOf(run),
  }
}
