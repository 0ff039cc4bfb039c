import assert from 'node:assert/strict'
import { simulationTest } from '../support/simulation-test.ts'
import { type CrashPlan, type CrashPoint, crashRun } from '../support/virtual-roll/crash/crash-run.ts'
import { complaints, type Job } from '../support/virtual-roll/jobs/job.ts'
import { runJobs } from '../support/virtual-roll/jobs/run-jobs.ts'

const test = simulationTest(import.meta.url)

/** By day one side of each write for either word. All: `CRASH_STRIDE=1 node test/run.ts virtual/blocked-crash`. */
const isEvery = process.env.CRASH_STRIDE === '1'

const SURGE: CrashPlan = { crashes: [], word: 'resume', nodes: 2, rolled: ['n1'], polite: 'refused' }
const DELETE: CrashPlan = { crashes: [], word: 'resume', nodes: 2, rolled: ['n1', 'n2'], deletes: true }

/** Both sides of each write to a pod of the app but its evictions, which are refused: `polite-crash` has one that is not. */
async function crashPoints(plan: CrashPlan, app: string): Promise<readonly CrashPoint[]> {
  const { effects, violations } = await crashRun(plan)
  assert.deepEqual(violations, [])
  const ofPods = new RegExp(`^(?:PATCH|DELETE) /api/v1/namespaces/default/pods/${app}-`)
  const writes = effects.flatMap((effect, i) => (ofPods.test(effect) ? [i] : []))
  assert.ok(writes.length > 0, effects.join('\n'))
  return writes.flatMap((effect) => (['before', 'after'] as const).map((phase) => ({ effect, phase })))
}

/** Killed at each of them, and taken up by either word. */
async function jobsOf(plan: CrashPlan, app: string): Promise<readonly Job[]> {
  const points = await crashPoints(plan, app)
  return (['resume', 'abort'] as const).flatMap((word) =>
    points
      .filter(({ phase }) => isEvery || phase === (word === 'resume' ? 'after' : 'before'))
      .map((point): Job => ({ kind: 'crash', plan: { ...plan, word, crashes: [point] } })),
  )
}

test('killed at each write of a pod that is replaced first or deleted, the roll loses no request and leaves no pod half on its way after resume and abort', async () => {
  const jobs = [...(await jobsOf(SURGE, 'whoami')), ...(await jobsOf(DELETE, 'legacy'))]
  const found: string[] = []
  await runJobs({ jobs, onReport: (report) => found.push(...complaints(report)) >= 0 })
  assert.deepEqual(found, [])
  assert.ok(jobs.length >= (isEvery ? 12 : 6))
})
