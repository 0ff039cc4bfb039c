import { complaints, type Job } from '../jobs/job.ts'
import { runJobs } from '../jobs/run-jobs.ts'
import type { MutatedTree } from './mutated-tree.ts'
import type { Mutation } from './mutation.ts'

export interface Caught {
  /** Of the checker, or `thrown`. */
  readonly by: string
  readonly text: string
  readonly job: Job
  /** How many jobs had ended by then. */
  readonly after: number
}

/** Runs jobs on the mutated engine until something is seen; undefined: the mutation survives. */
export async function tryMutation(
  tree: MutatedTree,
  mutation: Mutation,
  jobs: readonly Job[],
): Promise<Caught | undefined> {
  let caught: Caught | undefined
  let after = 0
  await tree.mutate(mutation)
  try {
    await runJobs({
      root: tree.root,
      jobs,
      onReport: (report) => {
        after += 1
        const [first] = complaints(report)
        if (first === undefined || caught !== undefined) return caught === undefined
        const job: Job =
          report.kind === 'thrown'
            ? report.job
            : report.kind === 'crash'
              ? { kind: 'crash', plan: report.plan }
              : { kind: report.kind, seed: report.report.seed }
        caught = { by: /^[a-z-]+/.exec(first)?.[0] ?? '', text: first, job, after }
        return false
      },
    })
  } finally {
    await tree.restore()
  }
  return caught
}
