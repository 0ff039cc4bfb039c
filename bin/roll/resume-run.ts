import { systemClock } from '../../src/ground/machine/system-clock.ts'
import { present } from '../../src/ground/model/present.ts'
import { originOf } from '../../src/ground/model/run-origin.ts'
import { toIso } from '../../src/ground/model/time.ts'
import { WorldError } from '../../src/ground/model/world-error.ts'
import type { RollIo, RunRequest } from '../../src/roll/cli/roll-actions.ts'
import { planRefusal } from '../../src/roll/cli/screen/plan-refusal.ts'
import type { Verdict } from '../../src/roll/model/verdict.ts'
import type { OpenJournal } from '../../src/roll/ports/journal.ts'
import { newestRun } from '../../src/roll/run/newest-run.ts'
import { goneSince, isSamePlace, movedEntry, placeOfRun, rememberedPlace } from '../../src/roll/run/remembered-place.ts'
import { type Amending, resumeRun } from '../../src/roll/run/resume-run.ts'
import { withoutWindow } from '../../src/roll/run/run-state.ts'
import { makePlan } from './make-plan.ts'
import { ownPodOf, refuseUnknownPod } from './own-pod.ts'
import { runEngine } from './run-engine.ts'
import { type ClusterPlace, clusterOf, journals, type RollSurroundings } from './world.ts'

export interface Resuming {
  readonly surroundings: RollSurroundings
  readonly io: RollIo
  /** Absent: go on. */
  readonly verdict?: Verdict
}

/** Opens the journal of a run, and goes on with it. */
export async function goOn(request: RunRequest, resuming: Resuming): Promise<void> {
  const { surroundings, io, verdict } = resuming
  const store = journals(request, surroundings)
  const id = request.run ?? (await newestRun(store))
  const remembered = rememberedPlace((await store.read(id)).entries)
  const asked = { ...request, ...placeOfRun(request, remembered) }
  const place = await clusterOf(asked, surroundings, io.interrupt).catch((error: unknown) => {
    throw remembered === undefined ? error : goneSince(error, { run: id, place: remembered, asked })
  })
  if (verdict === undefined) refuseUnknownPod(request, place)
  const own = await ownPodOf(request, place, io.interrupt)
  const slotMs = request.file?.spec.slots.leaseDurationMs
  const journal = await store.open(id, place.uid, { signal: io.interrupt, ...present({ slotMs }) })
  const amending = amendingOf(asked, resuming, place)
  const { run, clusterName, firstSeq } = await untilEngine(journal, async () => {
    const resumed = await resumeRun({
      journal,
      ...present({ amending, verdict }),
      ...(request.keepsVerdict === undefined ? {} : { keepsVerdict: true }),
    })
    if (!isSamePlace(remembered, place.remembered)) await rememberPlace(journal, place, surroundings)
    return resumed
  })
  const { windowIgnoredBy } = request
  const ignored = windowIgnoredBy === undefined ? {} : { windowIgnoredBy }
  const origin = originOf({ ...run.origin, ...place.context, ...ignored, version: surroundings.version })
  await runEngine(
    { run: withoutWindow({ ...run, ...own, origin }), place, clusterName, journal, firstSeq, surroundings },
    io,
  )
}

/** Only spares a person two options: a disk that is full must not keep a node from being put back. */
async function rememberPlace(
  journal: OpenJournal,
  { remembered }: ClusterPlace,
  { log }: RollSurroundings,
): Promise<void> {
  try {
    await journal.append(movedEntry(toIso(systemClock.wallMs()), remembered))
  } catch (error) {
    if (!(error instanceof WorldError)) throw error
    log.warn(`a later command needs --kubeconfig and --context again: ${error.message}`)
  }
}

function amendingOf(
  request: RunRequest,
  { surroundings, io }: Resuming,
  { cluster }: ClusterPlace,
): Amending | undefined {
  const { file } = request
  if (file === undefined) return undefined
  return {
    file,
    at: toIso(systemClock.wallMs()),
    nodes: () => cluster.list('nodes', io.interrupt),
    plan: (rest) => makePlan({ ...request, ...rest }, surroundings, io.interrupt),
    refusal: planRefusal,
    warn: (text) => surroundings.log.warn(text),
  }
}

/** Until the engine has the journal and closes it: a failure must not leave it locked. */
export async function untilEngine<T>(journal: OpenJournal, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await journal.close()
    throw error
  }
}
