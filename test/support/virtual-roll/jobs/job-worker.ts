import { runFleet } from '../../fleet/run-fleet.ts'
import { limitProcessor } from '../../processor-limit.ts'
import { runGuardSeed } from '../../virtual-guard/run-guard-seed.ts'
import { runIngressSeed } from '../../virtual-ingress/run-ingress-seed.ts'
import { crashRun } from '../crash/crash-run.ts'
import { runPoliteSeed, runSeed } from '../swarm/run-seed.ts'
import type { Job, JobReport } from './job.ts'

/** A process that does one job after the other for the process that started it. */
async function done(job: Job): Promise<JobReport> {
  try {
    if (job.kind === 'seed') return { kind: 'seed', report: await runSeed(job.seed) }
    if (job.kind === 'polite') return { kind: 'polite', report: await runPoliteSeed(job.seed) }
    if (job.kind === 'fleet') return { kind: 'fleet', report: await runFleet(job.seed) }
    if (job.kind === 'guard') return { kind: 'guard', report: await runGuardSeed(job.seed) }
    if (job.kind === 'ingress') return { kind: 'ingress', report: await runIngressSeed(job.seed) }
    return { kind: 'crash', plan: job.plan, run: await crashRun(job.plan) }
  } catch (error) {
    return { kind: 'thrown', job, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

/** A job takes a second or two of a processor, and minutes where it gets little of one: what takes this is a loop. */
const LOOP_MS = 60_000
const begin = limitProcessor(LOOP_MS)

process.on('message', (job: Job) => {
  begin()
  void done(job).then((report) => process.send?.(report))
})
process.on('disconnect', () => process.exit(0))
