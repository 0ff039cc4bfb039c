import assert from 'node:assert/strict'
import { simulationTest } from '../support/simulation-test.ts'
import { runGuardSeed } from '../support/virtual-guard/run-guard-seed.ts'
import { complaints, type Job, type JobReport } from '../support/virtual-roll/jobs/job.ts'
import { runJobs } from '../support/virtual-roll/jobs/run-jobs.ts'

const test = simulationTest(import.meta.url)

/** `npm run guards` runs more of them. */
const SCENARIOS = Number(process.env.GUARD_SCENARIOS ?? 30)
/**
 * 456: a guard that was deleted in the second in which it was placed counted as one that had been ready, and another node was granted.
 * 39: the same for a guard that was deleted before its kubelet knew of it, which wrote its first conditions a second later.
 * 5000386: a granted node that had lost one of two guards, and a cordoned one from which a person had deleted one, waited for each other.
 * 6200737: guards that were deleted and resist stood on a node, and the checker took it for one without them.
 * 4500002: two nodes whose guards were deleted before they were ready waited for each other for ever.
 * 6401215: a controller that was begun anew gave back the slot of a node whose guard it had just deleted, and let another node go.
 * 8000013: a node was to have a guard again 12 ms before the one that had been deleted with its Deployment was let go: the checker called
 * that a grant.
 * 6401403: a node went by the slot of another owner, who gave it back while the grant was on its way: the checker called that no slot.
 */
const KEPT_SEEDS = ['456', '39', '4500002', '5000386', '6200737', '6401215', '6401403', '8000013']

async function reports(seeds: readonly string[]): Promise<readonly JobReport[]> {
  const found: JobReport[] = []
  await runJobs({
    jobs: seeds.map((seed): Job => ({ kind: 'guard', seed })),
    onReport: (report) => found.push(report) > 0,
  })
  return found
}

const sum = (all: readonly JobReport[], of: 'deaths' | 'grants'): number =>
  all.reduce((total, report) => total + (report.kind === 'guard' ? report.report[of] : 0), 0)

test('whatever dies, fails, joins, leaves or holds, guarded nodes are drained one by one, and every drain ends', async () => {
  const all = await reports([...KEPT_SEEDS, ...Array.from({ length: SCENARIOS }, (_, i) => String(i))])
  const failures = all.flatMap((report) => {
    const seed = report.kind === 'guard' ? report.report.seed : 'that threw'
    return complaints(report).map((text) => `npm run guards -- --seed ${seed}: ${text}`)
  })
  assert.deepEqual(failures, [])
  assert.ok(sum(all, 'deaths') > SCENARIOS, `${sum(all, 'deaths')} deaths`)
  assert.ok(sum(all, 'grants') > SCENARIOS, `${sum(all, 'grants')} grants`)
})

test('the drains of a seed are the same to the last write', async () => {
  const [first, second] = [await runGuardSeed('5'), await runGuardSeed('5')]
  assert.equal(second.digest, first.digest)
})
