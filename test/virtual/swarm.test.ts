import assert from 'node:assert/strict'
import { test } from 'node:test'
import { complaints, type Job, type JobReport } from '../support/virtual-roll/jobs/job.ts'
import { runJobs } from '../support/virtual-roll/jobs/run-jobs.ts'
import { runSeed } from '../support/virtual-roll/swarm/run-seed.ts'
import { KEPT_SEEDS } from './kept-seeds.ts'

/** `SWARM_SEEDS=10000 node test/run.ts virtual/swarm`, or `npm run swarm`. */
const SEEDS = Number(process.env.SWARM_SEEDS ?? 300)
const SEED_OF_DIGEST = '5'

async function reports(seeds: readonly string[]): Promise<readonly JobReport[]> {
  const found: JobReport[] = []
  await runJobs({
    jobs: seeds.map((seed): Job => ({ kind: 'seed', seed })),
    onReport: (report) => found.push(report) > 0,
  })
  return found
}

function failures(all: readonly JobReport[]): readonly string[] {
  return all.flatMap((report) => {
    const seed =
      report.kind === 'seed'
        ? report.report.seed
        : report.kind === 'thrown' && 'seed' in report.job
          ? report.job.seed
          : ''
    return complaints(report).map((text) => `npm run swarm -- --seed ${seed}: ${text}`)
  })
}

test('seeds that once failed do so no more', async () => {
  assert.deepEqual(failures(await reports(KEPT_SEEDS)), [])
})

test('under random faults no request is lost and nothing is out of order, and once they heal everything is back', async () => {
  const all = await reports(Array.from({ length: SEEDS }, (_, i) => String(i)))
  assert.deepEqual(failures(all), [])
  assert.equal(all.length, SEEDS)
})

test('the same seed is the same to the last write, in this process and in another', async () => {
  const [first, second] = [await runSeed(SEED_OF_DIGEST), await runSeed(SEED_OF_DIGEST)]
  const [elsewhere] = await reports([SEED_OF_DIGEST])
  assert.equal(second.digest, first.digest)
  assert.equal(elsewhere?.kind === 'seed' ? elsewhere.report.digest : undefined, first.digest)
  const [other] = await reports(['6'])
  assert.notEqual(other?.kind === 'seed' ? other.report.digest : undefined, first.digest)
})
