import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { complaints, type Job, type JobReport } from '../support/virtual-roll/jobs/job.ts'
import { runJobs } from '../support/virtual-roll/jobs/run-jobs.ts'
import { runSeed } from '../support/virtual-roll/swarm/run-seed.ts'
import { scenarioOf } from '../support/virtual-roll/swarm/scenario.ts'
import { FIRST_BY_STEP, FIRST_WITH_MORE } from '../support/virtual-roll/swarm/scenario-by-step.ts'
import { PLAIN_WORLD } from '../support/virtual-roll/swarm/world-kind.ts'
import { KEPT_FILES, KEPT_POLITE, KEPT_SEEDS } from './kept-seeds.ts'

/** Of the first generation, always the same. `npm run nightly -- seeds early` has others of both generations each night. */
const EARLY_SEEDS = 6
/** By day each commit runs a twelfth of the kept seeds, and the next commit most likely another one: `npm run nightly -- kept` runs all. */
const KEPT_STRIDE = Number(process.env.KEPT_STRIDE ?? 12)
/** `SWARM_SEEDS=10000 node test/run.ts virtual/swarm`, or `npm run swarm`. */
const NEW_SEEDS = Number(process.env.SWARM_SEEDS ?? 8)
/**
 * Other seeds for each commit, and the same for each run of it: what fails among them can be run again, and is kept. The
 * first ones where there is no commit, or no git.
 */
const FIRST_NEW = Number(process.env.SWARM_FROM ?? FIRST_WITH_MORE + commitNumber())
/** With pods that leave politely, likewise. */
const NEW_POLITE = 3
const SEED_OF_DIGEST = '5'

function commitNumber(): number {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' })
  return status === 0 ? Number.parseInt(stdout.slice(0, 7), 16) : 0
}

async function reports(
  seeds: readonly string[],
  kind: 'seed' | 'polite' | 'file' = 'seed',
): Promise<readonly JobReport[]> {
  const found: JobReport[] = []
  await runJobs({
    jobs: seeds.map((seed): Job => ({ kind, seed })),
    onReport: (report) => found.push(report) > 0,
  })
  return found
}

const seedsFrom = (first: number, length: number): readonly string[] =>
  Array.from({ length }, (_, i) => String(first + i))

function failures(all: readonly JobReport[]): readonly string[] {
  return all.flatMap((report) => {
    const seed =
      report.kind === 'seed' || report.kind === 'polite' || report.kind === 'file'
        ? report.report.seed
        : report.kind === 'thrown' && 'seed' in report.job
          ? report.job.seed
          : ''
    return complaints(report).map((text) => `npm run swarm -- --seed ${seed}: ${text}`)
  })
}

test('seeds that once failed do so no more', async (t) => {
  const first = commitNumber() % KEPT_STRIDE
  const seeds = KEPT_SEEDS.filter((_, i) => i % KEPT_STRIDE === first)
  t.diagnostic(`${seeds.length} of ${KEPT_SEEDS.length}; all: KEPT_STRIDE=1 node test/run.ts virtual/swarm`)
  assert.deepEqual(failures(await reports(seeds)), [])
  assert.ok(seeds.length >= Math.floor(KEPT_SEEDS.length / KEPT_STRIDE))
})

test('under random faults no request is lost and nothing is out of order, and once they heal everything is back', async () => {
  const all = await reports(seedsFrom(0, EARLY_SEEDS))
  assert.deepEqual(failures(all), [])
  assert.equal(all.length, EARLY_SEEDS)
})

test('seeds that no run has tried, with faults in each step, are as good', async (t) => {
  const which = `seeds ${FIRST_NEW} to ${FIRST_NEW + NEW_SEEDS - 1}; again: SWARM_FROM=${FIRST_NEW} node test/run.ts virtual/swarm`
  t.diagnostic(which)
  const all = await reports(seedsFrom(FIRST_NEW, NEW_SEEDS))
  const failed = failures(all)
  assert.ok(failed.length === 0, [which, 'keep those that fail in test/virtual/kept-seeds.ts', ...failed].join('\n'))
  assert.equal(all.length, NEW_SEEDS)
})

test('pods that leave politely do so under faults in each step, without a lost request', async () => {
  const all = await reports([...KEPT_POLITE, ...seedsFrom(FIRST_NEW, NEW_POLITE)], 'polite')
  const which = `npm run swarm -- --polite --from ${FIRST_NEW} --seeds ${NEW_POLITE}`
  assert.deepEqual(failures(all), [], which)
  assert.equal(all.length, KEPT_POLITE.length + NEW_POLITE)
})

test('rolls by files whose fields are drawn are as good', async () => {
  assert.deepEqual(failures(await reports(KEPT_FILES, 'file')), [], 'npm run swarm -- --files --seed N')
})

test('a seed below 1,000,000 means for good what it meant when it was kept', () => {
  const hash = createHash('sha256')
  for (let seed = 0; seed < 1_000; seed += 1) {
    const { cues, amends: _, world, ...drawn } = scenarioOf(String(seed))
    assert.deepEqual([cues, world], [[], PLAIN_WORLD])
    hash.update(JSON.stringify(drawn))
  }
  assert.equal(hash.digest('hex'), 'ebe2678ec7b9b15f0fb0564289352217b0f2113d50f31ca581c127e6cfaa363d')
})

test('the same seed is the same to the last write, in this process and in another', async () => {
  for (const seed of [SEED_OF_DIGEST, String(FIRST_BY_STEP)]) {
    const [first, second] = [await runSeed(seed), await runSeed(seed)]
    const [elsewhere] = await reports([seed])
    assert.equal(second.digest, first.digest)
    assert.equal(elsewhere?.kind === 'seed' ? elsewhere.report.digest : undefined, first.digest)
    const [other] = await reports(['6'])
    assert.notEqual(other?.kind === 'seed' ? other.report.digest : undefined, first.digest)
  }
})
