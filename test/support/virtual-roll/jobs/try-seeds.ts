import { complaints, type Job, type JobReport } from './job.ts'
import { runJobs } from './run-jobs.ts'

interface Seeds {
  readonly kind: 'seed' | 'polite' | 'file' | 'plan' | 'fleet' | 'ingress' | 'guard' | 'dns' | 'operator'
  readonly from: number
  readonly count: number
  readonly workers: number
  readonly onReport: (report: JobReport) => void
}

const COMMANDS = {
  seed: 'swarm -- --seed',
  polite: 'swarm -- --polite --seed',
  file: 'swarm -- --files --seed',
  plan: 'swarm -- --plans --seed',
  fleet: 'fleets -- --seed',
  ingress: 'ingress -- --seed',
  guard: 'guards -- --seed',
  dns: 'dns -- --seed',
  operator: 'rolls -- --seed',
} as const

interface Tried {
  readonly failed: number
  /** How many failed, how much virtual time went by, and how long that took. */
  readonly text: string
}

/** Tries seeds that follow each other, and prints each that fails with the command that runs it again. */
export async function trySeeds({ kind, from, count, workers, onReport }: Seeds): Promise<Tried> {
  const startedMs = performance.now()
  let [failed, virtualMs] = [0, 0]
  await runJobs({
    jobs: Array.from({ length: count }, (_, i): Job => ({ kind, seed: String(from + i) })),
    workers,
    onReport: (report, job) => {
      onReport(report)
      const run = 'report' in report ? report.report : undefined
      virtualMs += run?.virtualMs ?? 0
      const said = complaints(report)
      if (said.length === 0) return true
      failed += 1
      const seed = 'seed' in job ? job.seed : ''
      const again = `npm run ${COMMANDS[kind]} ${seed}`
      console.log(`seed ${seed} failed: ${again}\n  ${said.join('\n  ')}`)
      if (run !== undefined) console.log(`  last: ${run.events.slice(-3).join('\n        ')}`)
      return true
    },
  })
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
  return { failed, text: `${failed} failed, ${Math.round(virtualMs / 1000)} virtual seconds in ${seconds} s` }
}
