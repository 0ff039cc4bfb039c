import assert from 'node:assert/strict'
import { simulationTest } from '../support/simulation-test.ts'
import { drawnKinds } from '../support/virtual-dns/drawn-kinds.ts'
import { runDnsSeed } from '../support/virtual-dns/run-dns-seed.ts'
import { complaints, type Job, type JobReport } from '../support/virtual-roll/jobs/job.ts'
import { runJobs } from '../support/virtual-roll/jobs/run-jobs.ts'

const test = simulationTest(import.meta.url)

/** `npm run dns` runs more of them. */
const SCENARIOS = Number(process.env.DNS_SCENARIOS ?? 14)
const DRAWN = 300

test('whatever is at fault, no pod that serves is taken out, no broken path is called healthy, and causes are those of the world', async () => {
  const failures: string[] = []
  let checks = 0
  await runJobs({
    jobs: Array.from({ length: SCENARIOS }, (_, i): Job => ({ kind: 'dns', seed: String(i) })),
    onReport: (report: JobReport) => {
      if (report.kind === 'dns') checks += report.report.checks
      const seed = report.kind === 'dns' ? report.report.seed : 'that threw'
      failures.push(...complaints(report).map((text) => `npm run dns -- --seed ${seed}: ${text}`))
      return true
    },
  })
  assert.deepEqual(failures, [])
  assert.ok(checks > 10 * SCENARIOS, `${checks} checks`)
})

test('the world of a seed is the same to the last write', async () => {
  const [first, second] = [await runDnsSeed('5'), await runDnsSeed('5')]
  assert.equal(second.digest, first.digest)
})

test(`${DRAWN} seeds draw every kind of world and every fault`, () => {
  const never = drawnKinds(Array.from({ length: DRAWN }, (_, i) => String(i))).filter(([, count]) => count === 0)
  assert.deepEqual(never, [])
})
