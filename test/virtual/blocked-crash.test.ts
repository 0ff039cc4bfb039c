import assert from 'node:assert/strict'
import { simulationTest } from '../support/simulation-test.ts'
import { type CrashPlan, type CrashPoint, crashRun } from '../support/virtual-roll/crash/crash-run.ts'
import { complaints, type Job } from '../support/virtual-roll/jobs/job.ts'
import { runJobs } from '../support/virtual-roll/jobs/run-jobs.ts'

const test = simulationTest(import.meta.url)

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

async function complaintsOf(plan: CrashPlan, app: string): Promise<readonly string[]> {
  const points = await crashPoints(plan, app)
  const jobs = points.map((point): Job => ({ kind: 'crash', plan: { ...plan, crashes: [point] } }))
  const found: string[] = []
  await runJobs({ jobs, onReport: (report) => found.push(...complaints(report)) >= 0 })
  return found
}

for (const word of ['resume', 'abort'] as const) {
  test(`killed at each write of a pod that is replaced first, the roll loses no request and leaves no pod half on its way after ${word}`, async () => {
    assert.deepEqual(await complaintsOf({ ...SURGE, word }, 'whoami'), [])
  })

  test(`killed at each write of a pod that is deleted, the roll leaves nothing behind after ${word}`, async () => {
    assert.deepEqual(await complaintsOf({ ...DELETE, word }, 'legacy'), [])
  })
}
