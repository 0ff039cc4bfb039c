import assert from 'node:assert/strict'
import { simulationTest } from '../support/simulation-test.ts'
import { politeCrashes } from '../support/virtual-roll/crash/polite-crashes.ts'
import { complaints } from '../support/virtual-roll/jobs/job.ts'
import { runJobs } from '../support/virtual-roll/jobs/run-jobs.ts'

const test = simulationTest(import.meta.url)

for (const word of ['resume', 'abort'] as const) {
  test(`killed at each write of a polite drain, the roll loses no request and leaves no pod half on its way after ${word}`, async () => {
    const found: string[] = []
    const jobs = await politeCrashes(word)
    await runJobs({ jobs, onReport: (report) => found.push(...complaints(report)) >= 0 })
    assert.deepEqual(found, [])
  })
}
