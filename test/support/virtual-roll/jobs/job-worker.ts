import { flushCompileCache } from 'node:module'
import { runFleet } from '../../fleet/run-fleet.ts'
import { limitProcessor } from '../../processor-limit.ts'
import { runDnsSeed } from '../../virtual-dns/run-dns-seed.ts'
import { runGuardSeed } from '../../virtual-guard/run-guard-seed.ts'
import { runIngressSeed } from '../../virtual-ingress/run-ingress-seed.ts'
import { runOperatorSeed } from '../../virtual-operator/run-operator-seed.ts'
import { crashRun } from '../crash/crash-run.ts'
import { spokenRules, takeAway } from '../mutations/rules/rule-switch.ts'
import { runPlanSeed } from '../swarm/run-plan-seed.ts'
import { runFileSeed, runPoliteSeed, runSeed } from '../swarm/run-seed.ts'
import type { Job, JobReport } from './job.ts'
import { runTestFile } from './run-test-file.ts'

/** A process that does one job after the other for the process that started it. */
async function done(job: Job): Promise<JobReport> {
  try {
    if (job.kind === 'test') return await runTestFile(job.file, job.without)
    takeAway(job.without ?? [], job.withinMs)
    return { ...(await ended(job)), spoken: spokenRules() }
  } catch (error) {
    return { kind: 'thrown', job, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

async function ended(job: Exclude<Job, { readonly kind: 'test' }>): Promise<JobReport> {
  if (job.kind === 'seed') return { kind: 'seed', report: await runSeed(job.seed) }
  if (job.kind === 'polite') return { kind: 'polite', report: await runPoliteSeed(job.seed) }
  if (job.kind === 'file') return { kind: 'file', report: await runFileSeed(job.seed) }
  if (job.kind === 'plan') return { kind: 'plan', report: await runPlanSeed(job.seed) }
  if (job.kind === 'fleet') return { kind: 'fleet', report: await runFleet(job.seed) }
  if (job.kind === 'guard') return { kind: 'guard', report: await runGuardSeed(job.seed) }
  if (job.kind === 'dns') return { kind: 'dns', report: await runDnsSeed(job.seed) }
  if (job.kind === 'operator') return { kind: 'operator', report: await runOperatorSeed(job.seed) }
  if (job.kind === 'ingress') return { kind: 'ingress', report: await runIngressSeed(job.seed) }
  return { kind: 'crash', plan: job.plan, run: await crashRun(job.plan) }
}

/** A job takes a second or two of a processor, and minutes where it gets little of one: what takes this is a loop. */
const LOOP_MS = 60_000
/** Without a rule an engine often does one thing again and again. */
const LOOP_WITHOUT_RULE_MS = 12_000
const begin = limitProcessor(LOOP_MS)

process.on('message', (job: Job) => {
  begin(job.without === undefined ? LOOP_MS : LOOP_WITHOUT_RULE_MS)
  void done(job).then((report) => {
    // It is ended by a signal, and would leave the next process to compile all of this anew.
    flushCompileCache()
    process.send?.(report)
  })
})
process.on('disconnect', () => process.exit(0))
