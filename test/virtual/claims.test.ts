import assert from 'node:assert/strict'
import { simulationTest } from '../support/simulation-test.ts'
import { everyNth } from '../support/virtual-roll/crash/crash-points.ts'
import { type CrashPlan, type CrashRun, crashRun } from '../support/virtual-roll/crash/crash-run.ts'
import { complaints, type Job } from '../support/virtual-roll/jobs/job.ts'
import { runJobs } from '../support/virtual-roll/jobs/run-jobs.ts'

const test = simulationTest(import.meta.url)

/** All of them take some minutes: `CRASH_STRIDE=1 node test/run.ts virtual/claims`. */
const STRIDE = Number(process.env.CRASH_STRIDE ?? 61)

type Claimed = NonNullable<CrashPlan['claimed']>

const planOf = (claimed: Claimed): CrashPlan => ({ crashes: [], word: 'resume', nodes: 2, rolled: ['n1'], claimed })

/** The person's claim stood while the node was out, and the node was back after the last owner withdrew, not before. */
function judge({ claim }: CrashRun, { last }: Claimed): readonly string[] {
  if (claim === undefined) return ['no one claimed the node']
  const { claimedAtMs, withdrawnAtMs, backAtMs } = claim
  const said = `claimed at ${claimedAtMs}, withdrawn at ${withdrawnAtMs}, back at ${backAtMs}`
  if (!(claimedAtMs < withdrawnAtMs && withdrawnAtMs < backAtMs && Number.isFinite(backAtMs))) return [said]
  // What a roll still has to do after the reboot, or what it does at once.
  const isLast = backAtMs - withdrawnAtMs > (last === 'roll' ? 2_000 : 0)
  return isLast ? [] : [said]
}

async function failed(plans: readonly CrashPlan[]): Promise<readonly string[]> {
  const found: string[] = []
  const jobs = plans.map((plan): Job => ({ kind: 'crash', plan }))
  await runJobs({
    jobs,
    onReport: (report) => {
      if (report.kind !== 'crash') return found.push(...complaints(report)) >= 0
      const { plan, run } = report
      const where = plan.crashes.map(({ effect, phase }) => `${phase} ${effect}`).join(', ')
      const wrong = plan.claimed === undefined ? [] : judge(run, plan.claimed)
      const notKilled = run.processes < 2 ? ['nobody was killed'] : []
      return found.push(...[...complaints(report), ...wrong, ...notKilled].map((text) => `${where}: ${text}`)) >= 0
    },
  })
  return found
}

for (const by of ['socket', 'agents'] as const) {
  for (const last of ['person', 'roll'] as const) {
    const claimed = { by, last, killsAgent: by === 'agents' }
    const title = `a node that a roll and a person have claimed comes back with the last of them only: by ${by}, the ${last} last`

    test(`law: no server is put back into service while the claim of another owner stands on its node; ${title}`, async () => {
      const run = await crashRun(planOf(claimed))
      assert.deepEqual([run.violations, judge(run, claimed)], [[], []])
    })

    test(`${title}, though the roll is killed in between`, async () => {
      const { effects } = await crashRun(planOf(claimed))
      const points = everyNth(effects.length, STRIDE, last === 'person' ? 0 : 7)
      assert.ok(points.length > 3, `${points.length} points`)
      assert.deepEqual(await failed(points.map((point) => ({ ...planOf(claimed), crashes: [point] }))), [])
    })
  }
}
