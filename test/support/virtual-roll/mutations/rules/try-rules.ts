import { complaints, type Job, type JobReport } from '../../jobs/job.ts'
import { jobName } from '../../jobs/job-name.ts'
import { runJobs } from '../../jobs/run-jobs.ts'

interface Trial {
  /** A tree whose rules can be switched off. */
  readonly root: string
  /** The ids of rules that nobody sees so far, each with the world that once saw it missing. */
  readonly wanted: ReadonlyMap<string, Job | undefined>
  readonly worlds: readonly Job[]
  readonly workers: number
  readonly untilMs: number
  /** `text`: what was seen. */
  readonly onSeen: (id: string, text: string, job: Job) => void
}

interface Tried {
  /** In how many worlds each rule had something to say. */
  readonly spoken: ReadonlyMap<string, number>
  /** How many of the worlds were looked at. */
  readonly worlds: number
}

/** A rule that so many worlds do not miss, although it had something to say in each of them, is left to the tests. */
const WORLDS_A_RULE = 20

/**
 * Each rule first in the world that once saw it missing. Then each world as it is, and again without each rule that had something to
 * say there, until some checker sees that it is missing.
 */
export async function tryRules({ root, wanted, worlds, workers, untilMs, onSeen }: Trial): Promise<Tried> {
  const left = new Set(wanted.keys())
  const spoken = new Map<string, number>()
  const known = [...wanted].flatMap(([id, job]): Job[] => (job === undefined ? [] : [{ ...job, without: id }]))
  const queue: Job[] = known
  let looked = 0
  const next = (): Job | undefined => {
    if (performance.now() > untilMs || left.size === 0) return undefined
    const due = queue.findIndex(({ without }) => without !== undefined && left.has(without))
    if (due >= 0) return queue.splice(0, due + 1).at(-1)
    queue.length = 0
    const world = worlds[looked]
    looked += world === undefined ? 0 : 1
    return world
  }
  const onReport = (report: JobReport, job: Job): boolean => {
    const [first] = complaints(report)
    if (job.without === undefined) {
      if (first !== undefined) console.error(`${jobName(job)} fails as it is: ${first.slice(0, 200)}`)
      else
        queue.push(
          ...missable(report.spoken ?? [], { left, spoken }).map((id) => ({ ...job, ...limitOf(report), without: id })),
        )
    } else if (first !== undefined && left.delete(job.without)) {
      onSeen(job.without, first, job)
    }
    return true
  }
  const jobs: Iterable<Job> = { [Symbol.iterator]: () => ({ next: () => asResult(next()) }) }
  await runJobs({ root, jobs, workers, onReport })
  return { spoken, worlds: looked }
}

/** Asked anew each time: a world that has just ended brings further jobs. */
const asResult = (job: Job | undefined): IteratorResult<Job, undefined> =>
  job === undefined ? { done: true, value: undefined } : { done: false, value: job }

/** Without a rule a roll may take twice as long as with it, and a minute more. */
function limitOf(report: JobReport): Pick<Job, 'withinMs'> {
  const run = 'run' in report ? report.run : 'report' in report ? report.report : undefined
  return run === undefined ? {} : { withinMs: 2 * run.virtualMs + 60_000 }
}

interface Known {
  readonly left: ReadonlySet<string>
  readonly spoken: Map<string, number>
}

/** The rules that are looked for and had something to say in a world. Counts them. */
function missable(ids: readonly string[], { left, spoken }: Known): readonly string[] {
  const found = ids.filter((id) => left.has(id))
  for (const id of found) spoken.set(id, (spoken.get(id) ?? 0) + 1)
  return found.filter((id) => (spoken.get(id) ?? 0) <= WORLDS_A_RULE)
}
