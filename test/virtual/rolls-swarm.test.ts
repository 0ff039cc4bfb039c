import assert from 'node:assert/strict'
import { simulationTest } from '../support/simulation-test.ts'
import { runOperatorSeed } from '../support/virtual-operator/run-operator-seed.ts'
import { complaints, type Job, type JobReport } from '../support/virtual-roll/jobs/job.ts'
import { runJobs } from '../support/virtual-roll/jobs/run-jobs.ts'

const test = simulationTest(import.meta.url)

/** `npm run rolls` runs more of them. */
const SCENARIOS = Number(process.env.ROLL_SCENARIOS ?? 10)
/** 210: the Job of a Roll was deleted by a person, and the next Roll began while the run of the first one was under way. */
const KEPT_SEEDS = ['210']

test('whatever people do to Rolls, and whatever dies, each comes to an end, and no request is lost', async () => {
  const all: JobReport[] = []
  await runJobs({
    jobs: [...KEPT_SEEDS, ...Array.from({ length: SCENARIOS }, (_, i) => String(i))].map(
      (seed): Job => ({ kind: 'operator', seed }),
    ),
    onReport: (report) => all.push(report) > 0,
  })
  const failures = all.flatMap((report) => {
    const seed = report.kind === 'operator' ? report.report.seed : 'that threw'
    return complaints(report).map((text) => `npm run rolls -- --seed ${seed}: ${text}`)
  })
  assert.deepEqual(failures, [])
  const ends = all.flatMap((report) => (report.kind === 'operator' ? report.report.ends : []))
  assert.ok(ends.filter((end) => end === 'Succeeded').length >= SCENARIOS / 2, ends.join(', '))
})

test('the Rolls of a seed are the same to the last write', async () => {
  const [first, second] = [await runOperatorSeed('5'), await runOperatorSeed('5')]
  assert.equal(second.digest, first.digest)
})
