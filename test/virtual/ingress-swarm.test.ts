import assert from 'node:assert/strict'
import { simulationTest } from '../support/simulation-test.ts'
import { runIngressSeed } from '../support/virtual-ingress/run-ingress-seed.ts'
import { complaints, type Job, type JobReport } from '../support/virtual-roll/jobs/job.ts'
import { runJobs } from '../support/virtual-roll/jobs/run-jobs.ts'
import { KEPT_ROLLOUTS } from './kept-seeds.ts'

const test = simulationTest(import.meta.url)

/** `npm run ingress` runs more of them. */
const ROLLOUTS = Number(process.env.INGRESS_ROLLOUTS ?? 8)
async function reports(seeds: readonly string[]): Promise<readonly JobReport[]> {
  const found: JobReport[] = []
  await runJobs({
    jobs: seeds.map((seed): Job => ({ kind: 'ingress', seed })),
    onReport: (report) => found.push(report) > 0,
  })
  return found
}

const failures = (all: readonly JobReport[]): readonly string[] =>
  all.flatMap((report) => {
    const seed = report.kind === 'ingress' ? report.report.seed : 'that threw'
    return complaints(report).map((text) => `npm run ingress -- --seed ${seed}: ${text}`)
  })

test('rollouts that once failed do so no more', async () => {
  assert.deepEqual(failures(await reports(KEPT_ROLLOUTS)), [])
})

test('whatever dies, fails or is done by hand, a rollout ends, takes out no more nodes than it may, and leaves nothing behind', async () => {
  const all = await reports(Array.from({ length: ROLLOUTS }, (_, i) => String(i)))
  assert.deepEqual(failures(all), [])
  const deaths = all.reduce((sum, report) => sum + (report.kind === 'ingress' ? report.report.deaths : 0), 0)
  assert.ok(deaths > ROLLOUTS, `${deaths} deaths`)
})

test('a rollout of a seed is the same to the last write', async () => {
  const [first, second] = [await runIngressSeed('5'), await runIngressSeed('5')]
  assert.equal(second.digest, first.digest)
})
