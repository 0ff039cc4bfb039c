import assert from 'node:assert/strict'
import { simulationTest } from '../support/simulation-test.ts'
import { type CrashPlan, crashRun } from '../support/virtual-roll/crash/crash-run.ts'
import { complaints, type Job } from '../support/virtual-roll/jobs/job.ts'
import { runJobs } from '../support/virtual-roll/jobs/run-jobs.ts'

const test = simulationTest(import.meta.url)

/** By day one side of each write for either word. All: `CRASH_STRIDE=1 node test/run.ts virtual/health-check-crash`. */
const isEvery = process.env.CRASH_STRIDE === '1'
const CLEAN: CrashPlan = { crashes: [], word: 'resume', nodes: 2, rolled: ['n1'], healthCheck: true }

/** Each write to the Node, the reboot, and each entry of the journal between the mark and the end of the detach. */
async function jobs(): Promise<readonly Job[]> {
  const { effects, violations } = await crashRun(CLEAN)
  assert.deepEqual(violations, [])
  const counted = effects.flatMap((effect, i) => (/^PATCH \/api\/v1\/nodes\/n1|^reboot/.test(effect) ? [i] : []))
  // The record, the cordon, the mark, the intent, the reboot, the uncordon, the end of the mark, the end of the record.
  assert.ok(counted.length >= 8, effects.join('\n'))
  return (['resume', 'abort'] as const).flatMap((word) =>
    counted.flatMap((effect) =>
      (['before', 'after'] as const)
        .filter((phase) => isEvery || phase === (word === 'resume' ? 'after' : 'before'))
        .map((phase): Job => ({ kind: 'crash', plan: { ...CLEAN, word, crashes: [{ effect, phase }] } })),
    ),
  )
}

test('killed at each write of a node whose health check goes by a mark, a roll loses no request and leaves no mark after resume and abort', async () => {
  const all = await jobs()
  const found: string[] = []
  await runJobs({ jobs: all, onReport: (report) => found.push(...complaints(report)) >= 0 })
  assert.deepEqual(found, [])
})
