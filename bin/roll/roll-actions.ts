import { systemClock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../src/ground/machine/system-random.ts'
import type { Node } from '../../src/ground/model/node.ts'
import { present } from '../../src/ground/model/present.ts'
import { originOf } from '../../src/ground/model/run-origin.ts'
import { toIso } from '../../src/ground/model/time.ts'
import { UserError } from '../../src/ground/model/user-error.ts'
import type {
  ListedRun,
  RollActions,
  RollHistory,
  RollIo,
  RollPlace,
  RollRequest,
  RunRequest,
} from '../../src/roll/cli/roll-actions.ts'
import { planRefusal } from '../../src/roll/cli/screen/plan-refusal.ts'
import { readLatency } from '../../src/roll/io/latency-file.ts'
import type { RollPlan } from '../../src/roll/model/roll-plan.ts'
import type { Verdict } from '../../src/roll/model/verdict.ts'
import type { JournalStore } from '../../src/roll/ports/journal.ts'
import { isJournaledEvent } from '../../src/roll/run/journaled-event.ts'
import { hasJournal, newestRun, runOfKey } from '../../src/roll/run/newest-run.ts'
import { rememberedPlace } from '../../src/roll/run/remembered-place.ts'
import { removeOldRuns } from '../../src/roll/run/remove-old-runs.ts'
import { goesBy, plannedEntry } from '../../src/roll/run/run-from-journal.ts'
import { chosenBy, knownBy, newRun, withoutWindow } from '../../src/roll/run/run-state.ts'
import { makePlan } from './make-plan.ts'
import { openMetrics } from './open-metrics.ts'
import { ownPodOf, refuseUnknownPod } from './own-pod.ts'
import { leftOut, putBack } from './put-back.ts'
import { goOn, untilEngine } from './resume-run.ts'
import { runEngine } from './run-engine.ts'
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
    nodesNow: (place, nodes, signal) => nodesNow(place, { nodes, surroundings }, signal),
    begunFor: (key, place) => begunFor(key, journals(place, surroundings)),
    list: (request) => list(request, surroundings),
    leftOut: (request, signal) => leftOut(request, surroundings, signal),
    openMetrics: (place, pages) => openMetrics(place, pages, surroundings.log),
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
  refuseUnknownPod(request, place)
  const own = await ownPodOf(request, place, io.interrupt)
  const store = journals(request, surroundings)
  const wall = systemClock.wallMs()
  const at = toIso(wall)
  const asked = { spec: request.spec, order: plan.nodes.map(({ node }) => node), origin: originOf(plan), ...own }
  const key = request.once === undefined ? {} : { onceKey: request.once }
  const run = newRun({ ...asked, ...key, ...chosenBy(plan), ...knownBy(plan) }, { wall, suffix: systemRandom.hex(2) })
  const beginning = { at, run: run.id, cluster: place.uid, tool: surroundings.version }
  const journal = await store.create(beginning, request.spec.slots.leaseDurationMs)
  const planned = plannedEntry(run, { at, clusterName: plan.cluster, place: place.remembered })
  await untilEngine(journal, () => journal.append(planned))
  await removeOldRuns(store).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error)
    surroundings.log.warn(`journals of old rolls are not removed: ${why}`)
  })
  await runEngine({ run: withoutWindow(run), place, clusterName: plan.cluster, journal, firstSeq: 0, surroundings }, io)
}

/** With a file, a run without a journal here is put back from the records on the nodes. */
async function abort(request: RunRequest, surroundings: RollSurroundings, io: RollIo): Promise<void> {
  const { file, run } = request
  const lost = file !== undefined && run !== undefined && !(await hasJournal(journals(request, surroundings), run))
  if (lost) await putBack({ ...request, file, run }, { surroundings, io, verdict: ABORTED })
  else await goOn(request, { surroundings, io, verdict: ABORTED })
}

async function history(request: RunRequest, surroundings: RollSurroundings): Promise<RollHistory> {
  const store = journals(request, surroundings)
  return historyOf(store, request.run ?? (await newestRun(store)))
}

interface NamedNodes {
  readonly nodes: readonly string[]
  readonly surroundings: RollSurroundings
}

async function nodesNow(
  place: RollPlace,
  { nodes, surroundings }: NamedNodes,
  signal: AbortSignal,
): Promise<readonly Node[]> {
  const { cluster } = await clusterOf(place, surroundings, signal)
  const found = await Promise.all(nodes.map((node) => cluster.readNode(node, signal)))
  return found.flatMap((node) => node ?? [])
}

async function begunFor(key: string, store: JournalStore): Promise<RollHistory | undefined> {
  const run = await runOfKey(key, store)
  return run === undefined ? undefined : historyOf(store, run)
}

async function list(request: RollPlace, surroundings: RollSurroundings): ReturnType<RollActions['list']> {
  const store = journals(request, surroundings)
  const runs: ListedRun[] = []
  // One after the other: each journal may be long.
  for (const { run, header, problem = '' } of await store.runs()) {
    try {
      runs.push(header === undefined ? { run, problem } : { run, history: await historyOf(store, run) })
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      runs.push({ run, problem: error.message })
    }
  }
  return { stateDir: store.directory, runs }
}

async function historyOf(store: JournalStore, run: string): Promise<RollHistory> {
  const stored = await store.read(run)
  const spec = goesBy(stored.entries)?.spec
  const place = rememberedPlace(stored.entries)
  const journal = store.pathOf(run)
  return {
    run,
    events: stored.entries.filter(isJournaledEvent),
    running: await store.inUse(run),
    journal,
    tool: stored.header.tool,
    latency: await readLatency(store.filesOf(run)),
    ...present({ spec, place }),
  }
}
