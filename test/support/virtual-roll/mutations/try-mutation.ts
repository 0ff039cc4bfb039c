import { complaints, type Job } from '../jobs/job.ts'
import { runJobs } from '../jobs/run-jobs.ts'
import type { MutatedTree } from './mutated-tree.ts'
import type { Mutation } from './mutation.ts'

export interface Caught {
  /** The checker, `thrown` or `a test`. */
  readonly by: string
  readonly text: string
  readonly job: Job
  /** How many jobs had ended by then. */
  readonly after: number
}

/** The checker of a complaint, or `thrown`. */
export const seenBy = (complaint: string): string => /^[a-z-]+/.exec(complaint)?.[0] ?? ''

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
      onReport: (report, job) => {
        after += 1
        const [first] = complaints(report)
        if (first === undefined || caught !== undefined) return caught === undefined
        caught = { by: job.kind === 'test' ? 'a test' : seenBy(first), text: first, job, after }
        return false
      },
    })
  } finally {
    await tree.restore()
  }
  return caught
}
