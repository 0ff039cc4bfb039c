import { systemClock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../src/ground/machine/system-random.ts'
import { originOf } from '../../src/ground/model/run-origin.ts'
import { toIso } from '../../src/ground/model/time.ts'
import type { RollHistory, RunRequest } from '../../src/roll/cli/roll-actions.ts'
import { leftRun } from '../../src/roll/decide/resume/left-run.ts'
import type { Verdict } from '../../src/roll/model/verdict.ts'
import { isJournaledEvent } from '../../src/roll/run/journaled-event.ts'
import { hasJournal } from '../../src/roll/run/newest-run.ts'
import { lostRun } from '../../src/roll/run/restoring-run.ts'
import type { FileOfRun } from '../../src/roll/run/resume-run.ts'
import { plannedEntry } from '../../src/roll/run/run-from-journal.ts'
import { type Resuming, untilEngine } from './resume-run.ts'
import { runEngine } from './run-engine.ts'
import { clusterOf, journals, type RollSurroundings } from './world.ts'

/** The run that is named, or the one that has nodes of the cluster out. */
export async function leftOut(
  request: RunRequest,
  surroundings: RollSurroundings,
  signal: AbortSignal,
): Promise<Pick<RollHistory, 'run' | 'events'>> {
  const run = request.run ?? (await runOfNodes(request, surroundings, signal))
  const store = journals(request, surroundings)
  if (!(await hasJournal(store, run))) return { run, events: [] }
  const { entries } = await store.read(run)
  return { run, events: entries.filter(isJournaledEvent) }
}

async function runOfNodes(request: RunRequest, surroundings: RollSurroundings, signal: AbortSignal): Promise<string> {
  const { cluster } = await clusterOf(request, surroundings, signal)
  const nodes = await cluster.list('nodes', signal)
  return leftRun(nodes, { file: request.file?.name ?? 'roll.yaml' }).run
}

/** Puts back what a run left out whose journal is lost, with a journal of its own. */
export async function putBack(
  request: RunRequest & { readonly run: string; readonly file: FileOfRun },
  { surroundings, io, verdict }: Resuming & { readonly verdict: Verdict },
): Promise<void> {
  const { run: id, file } = request
  const place = await clusterOf(request, surroundings, io.interrupt)
  const nodes = await place.cluster.list('nodes', io.interrupt)
  const lost = lostRun(nodes, { run: id, file, verdict, nonce: systemRandom.hex(4) })
  const run = { ...lost, origin: originOf({ ...place.context, version: surroundings.version }) }
  const at = toIso(systemClock.wallMs())
  const store = journals(request, surroundings)
  const beginning = { at, run: run.id, cluster: place.uid, tool: surroundings.version }
  const journal = await store.create(beginning, run.spec.slots.leaseDurationMs)
  const clusterName = run.spec.name
  const planned = plannedEntry(run, { at, clusterName, place: place.remembered })
  await untilEngine(journal, () => journal.append(planned))
  await runEngine({ run, place, clusterName, journal, firstSeq: 0, surroundings }, io)
}
