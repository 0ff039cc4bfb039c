import assert from 'node:assert/strict'
import { simulationTest } from '../support/simulation-test.ts'
import { type CrashPlan, type CrashPoint, crashRun } from '../support/virtual-roll/crash/crash-run.ts'
import { complaints, type Job } from '../support/virtual-roll/jobs/job.ts'
import { runJobs } from '../support/virtual-roll/jobs/run-jobs.ts'

const test = simulationTest(import.meta.url)

/** By day one side of each program for either word. All: `CRASH_STRIDE=1 node test/run.ts virtual/hooks-crash`. */
const isEvery = process.env.CRASH_STRIDE === '1'

const HOOKS: CrashPlan = { crashes: [], word: 'resume', nodes: 2, rolled: ['n1'], hooks: true }

/** Both sides of each program, and of each entry of the journal about one. */
async function crashPoints(): Promise<readonly CrashPoint[]> {
  const { effects, violations } = await crashRun(HOOKS)
  assert.deepEqual(violations, [])
  const found = effects.flatMap((effect, i) => (/^program |^journal hook$/.test(effect) ? [i] : []))
  assert.ok(found.length >= 10, effects.join('\n'))
  return found.flatMap((effect) => (['before', 'after'] as const).map((phase) => ({ effect, phase })))
}

test('law: a hook runs at least once, and is never taken for run before it ended; killed at each hook, the roll loses no request, reboots no node without its hooks, and leaves nothing that is not undone after resume and abort', async () => {
  const points = await crashPoints()
  const jobs = (['resume', 'abort'] as const).flatMap((word) =>
    points
      .filter(({ phase }) => isEvery || phase === (word === 'resume' ? 'after' : 'before'))
      .map((point): Job => ({ kind: 'crash', plan: { ...HOOKS, word, crashes: [point] } })),
  )
  const found: string[] = []
  await runJobs({ jobs, onReport: (report) => found.push(...complaints(report)) >= 0 })
  assert.deepEqual(found, [])
  assert.ok(jobs.length >= 10)
})
