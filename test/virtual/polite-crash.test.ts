import assert from 'node:assert/strict'
import { simulationTest } from '../support/simulation-test.ts'
import type { CrashPoint } from '../support/virtual-roll/crash/crash-run.ts'
import { type CrashPlan, crashRun } from '../support/virtual-roll/crash/crash-run.ts'
import { complaints, type Job } from '../support/virtual-roll/jobs/job.ts'
import { runJobs } from '../support/virtual-roll/jobs/run-jobs.ts'

const test = simulationTest(import.meta.url)

const CLEAN: CrashPlan = { crashes: [], word: 'resume', nodes: 2, rolled: ['n1'], polite: 'chosen' }
const OF_PODS = /^(?:PATCH|POST) \/api\/v1\/namespaces\/default\/pods\/whoami-/

/** Both sides of each write to a pod of the app. */
async function crashPoints(): Promise<readonly CrashPoint[]> {
  const { effects, violations } = await crashRun(CLEAN)
  assert.deepEqual(violations, [])
  const writes = effects.flatMap((effect, i) => (OF_PODS.test(effect) ? [i] : []))
  assert.ok(writes.length >= 3, effects.join('\n'))
  return writes.flatMap((effect) => (['before', 'after'] as const).map((phase) => ({ effect, phase })))
}

async function complaintsOf(word: CrashPlan['word']): Promise<readonly string[]> {
  const points = await crashPoints()
  const jobs = points.map((point): Job => ({ kind: 'crash', plan: { ...CLEAN, word, crashes: [point] } }))
  const found: string[] = []
  await runJobs({ jobs, onReport: (report) => found.push(...complaints(report)) >= 0 })
  return found
}

for (const word of ['resume', 'abort'] as const) {
  test(`killed at each write of a polite drain, the roll loses no request and leaves no pod half on its way after ${word}`, async () => {
    assert.deepEqual(await complaintsOf(word), [])
  })
}
