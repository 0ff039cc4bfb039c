import assert from 'node:assert/strict'
import { simulationTest } from '../support/simulation-test.ts'
import { everyNth } from '../support/virtual-roll/crash/crash-points.ts'
import { type CrashPlan, crashRun } from '../support/virtual-roll/crash/crash-run.ts'
import { complaints, type Job, type JobReport } from '../support/virtual-roll/jobs/job.ts'
import { runJobs } from '../support/virtual-roll/jobs/run-jobs.ts'

const test = simulationTest(import.meta.url)

/** All of them take some minutes: `CRASH_STRIDE=1 node test/run.ts virtual/crash`. */
const STRIDE = Number(process.env.CRASH_STRIDE ?? 17)
const CLEAN: CrashPlan = { crashes: [], word: 'resume', nodes: 2, rolled: ['n1'] }

async function failed(plans: readonly CrashPlan[]): Promise<readonly string[]> {
  const found: string[] = []
  const jobs = plans.map((plan): Job => ({ kind: 'crash', plan }))
  await runJobs({ jobs, onReport: (report) => found.push(...complaintsOf(report)) >= 0 })
  return found
}

function complaintsOf(report: JobReport): readonly string[] {
  const plan =
    report.kind === 'crash' ? report.plan : report.kind === 'thrown' && 'plan' in report.job ? report.job.plan : CLEAN
  const where = `${plan.word} after ${plan.crashes.map(({ effect, phase }) => `${phase} ${effect}`).join(', ')}`
  // A second crash may come too late, when no process runs any more.
  const notKilled = report.kind === 'crash' && report.run.processes < 2 ? ['nobody was killed'] : []
  return [...complaints(report), ...notKilled].map((text) => `${where}: ${text}`)
}

test('a clean roll has what crashes are counted by: some ninety effects, and the same every time', async () => {
  const [first, second] = [await crashRun(CLEAN), await crashRun(CLEAN)]
  assert.deepEqual(first.violations, [])
  assert.ok(first.effects.length > 80, `${first.effects.length} effects`)
  assert.deepEqual(second.effects, first.effects)
})

test('a roll that is killed before or after any of its effects is resumed to its end, and nothing is lost', async () => {
  const { effects } = await crashRun(CLEAN)
  const points = everyNth(effects.length, STRIDE, 0)
  assert.deepEqual(await failed(points.map((point) => ({ ...CLEAN, crashes: [point] }))), [])
})

test('a roll that is killed before or after any of its effects is aborted, and everything is as it was', async () => {
  const { effects } = await crashRun(CLEAN)
  const points = everyNth(effects.length, STRIDE * 2, 1)
  assert.deepEqual(await failed(points.map((point) => ({ ...CLEAN, word: 'abort', crashes: [point] }))), [])
})

test('a roll whose next process is killed too is resumed to its end', async () => {
  const { effects } = await crashRun(CLEAN)
  const points = everyNth(effects.length, STRIDE * 3, 2)
  const plans = points.map((point, i): CrashPlan => {
    const again = { effect: point.effect + 4 + (i % 7), phase: point.phase }
    return { ...CLEAN, crashes: [point, again] }
  })
  assert.deepEqual(await failed(plans), [])
})

test('a roll of two nodes that is killed on its way through the second leaves the first alone', async () => {
  const plan: CrashPlan = { ...CLEAN, rolled: ['n1', 'n2'] }
  const { effects } = await crashRun(plan)
  const points = everyNth(effects.length, STRIDE * 6, 3).filter(({ effect }) => effect > effects.length / 2)
  assert.ok(points.length > 1, `${points.length} points`)
  assert.deepEqual(await failed(points.map((point) => ({ ...plan, crashes: [point] }))), [])
})
