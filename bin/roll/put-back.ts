import { systemClock } from '../../src/adapters/node/system-clock.ts'
import { systemRandom } from '../../src/adapters/node/system-random.ts'
import type { FileOfRun, RollHistory, RunRequest } from '../../src/cli/roll-actions.ts'
import { isJournaledEvent } from '../../src/controllers/roll/journaled-event.ts'
import { restoringRun } from '../../src/controllers/roll/restoring-run.ts'
import { leftRun } from '../../src/core/roll/takeup/left-run.ts'
import { outsideFile } from '../../src/core/roll/takeup/outside-file.ts'
import { toIso } from '../../src/model/time.ts'
import { UserError } from '../../src/model/user-error.ts'
import type { Verdict } from '../../src/model/verdict.ts'
import type { JournalStore } from '../../src/ports/journal.ts'
import { runEngine } from './run-engine.ts'
import { type TakeUp, untilEngine } from './take-up.ts'
import { clusterOf, journals, type RollSurroundings } from './world.ts'

/** Rejects with what is wrong with a journal that is here and cannot be read: it is not lost. */
export async function hasJournal(store: JournalStore, run: string): Promise<boolean> {
  try {
    await store.read(run)
    return true
  } catch (error) {
    if (error instanceof UserError && error.code === 'journal.unknown-run') return false
    throw error
  }
}

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

type LostRun = RunRequest & { readonly run: string; readonly file: FileOfRun }

/** What a run left out whose journal is lost: back by its records, as far as the file reaches, or not at all. */
export async function putBack(
  request: LostRun,
  { surroundings, io, verdict }: TakeUp & { readonly verdict: Verdict },
): Promise<void> {
  const { file } = request
  const place = await clusterOf(request, surroundings, io.interrupt)
  const left = leftRun(await place.cluster.list('nodes', io.interrupt), { run: request.run, file: file.name })
  const outside = outsideFile(left.out, file.spec)
  if (outside.length > 0) throw file.refusal(outside)
  const run = restoringRun(left, { spec: file.spec, verdict, nonce: systemRandom.hex(4) })
  const at = toIso(systemClock.wallMs())
  const store = journals(request, surroundings)
  const journal = await store.create({ at, run: run.id, cluster: place.uid, tool: surroundings.version })
  const { spec, order, restoresAs } = run
  const clusterName = request.context ?? spec.name
  const planned = { at, type: 'planned', spec, order, clusterName, restoresAs }
  await untilEngine(journal, () => journal.append(planned))
  await runEngine({ run, place, clusterName, journal, firstSeq: 0, log: surroundings.log }, io)
}
