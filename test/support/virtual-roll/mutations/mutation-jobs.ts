import { KEPT_ROLLOUTS, KEPT_SEEDS } from '../../../virtual/kept-seeds.ts'
import { everyNth } from '../crash/crash-points.ts'
import type { CrashPlan } from '../crash/crash-run.ts'
import { crashRun } from '../crash/crash-run.ts'
import { politeCrashes } from '../crash/polite-crashes.ts'
import type { Job } from '../jobs/job.ts'
import { FIRST_BY_STEP } from '../swarm/scenario-by-step.ts'

const SEEDS = 200
/** Of those with faults in each step. */
const SEEDS_BY_STEP = 400
/** A balancer goes silent just as a server is told to leave, which seeds seldom do. */
const SILENT_WHEN_TOLD = '4906'
/** Of the crash points, every so many: the seeds have deaths of their own. */
const STRIDE = 4

/** A clean roll first, then the seeds that once failed, crashes, and seeds as they come: what is seen often is seen soon. */
export async function mutationJobs(): Promise<readonly Job[]> {
  const clean: CrashPlan = { crashes: [], word: 'resume', nodes: 2, rolled: ['n1'] }
  const { effects } = await crashRun(clean)
  const crashes = everyNth(effects.length, STRIDE, 0).flatMap((point): readonly Job[] => [
    { kind: 'crash', plan: { ...clean, crashes: [point] } },
    { kind: 'crash', plan: { ...clean, crashes: [point], word: 'abort' } },
  ])
  const seeds = Array.from({ length: SEEDS }, (_, i): Job => ({ kind: 'seed', seed: String(i) }))
  const bySteps = Array.from(
    { length: SEEDS_BY_STEP },
    (_, i): Job => ({ kind: 'seed', seed: String(FIRST_BY_STEP + i) }),
  )
  const kept = [...KEPT_SEEDS, SILENT_WHEN_TOLD].map((seed): Job => ({ kind: 'seed', seed }))
  return [{ kind: 'crash', plan: clean }, ...kept, ...crashes, ...seeds, ...bySteps]
}

/** As many as showed each of those that only fleets show, several times over. */
const FLEETS = 150

/** Those that once failed, and some as they come. */
export const ingressJobs = (): readonly Job[] =>
  [...KEPT_ROLLOUTS, ...Array.from({ length: FLEETS }, (_, i) => String(i))].map(
    (seed): Job => ({ kind: 'ingress', seed }),
  )

/** Random drains of guarded nodes. */
export const guardJobs = (): readonly Job[] =>
  Array.from({ length: FLEETS }, (_, i): Job => ({ kind: 'guard', seed: String(i) }))

/** Polite drains that are killed at each write, and worlds of pods that leave politely under faults in each step. */
export async function politeJobs(): Promise<readonly Job[]> {
  const seeds = Array.from({ length: FLEETS }, (_, i): Job => ({ kind: 'polite', seed: String(FIRST_BY_STEP + i) }))
  return [...(await politeCrashes('resume')), ...(await politeCrashes('abort')), ...seeds]
}

export const fleetJobs = (): readonly Job[] =>
  Array.from({ length: FLEETS }, (_, i): Job => ({ kind: 'fleet', seed: String(i) }))
