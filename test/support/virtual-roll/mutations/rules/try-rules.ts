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
/** So many rules are taken away at once at most. */
const RULES_AT_ONCE = 8

/**
 * Each rule first in the world that once saw it missing. Then each world as it is, and again without the rules that had something to
 * say there, until some checker sees that a rule is missing. A rule is tried alone at first. What several worlds did not miss is taken
 * away together with others like it, and in halves of them where a checker sees something.
 */
export async function tryRules({ root, wanted, worlds, workers, untilMs, onSeen }: Trial): Promise<Tried> {
  const left = new Set(wanted.keys())
  const spoken = new Map<string, number>()
  const queue = [...wanted].flatMap(([id, job]): Job[] => (job === undefined ? [] : [{ ...job, without: [id] }]))
  let looked = 0
  const next = (): Job | undefined => {
    if (performance.now() > untilMs || left.size === 0) return undefined
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      const without = job.without?.filter((id) => left.has(id)) ?? []
      if (without.length > 0) return { ...job, without }
    }
    const world = worlds[looked]
    looked += world === undefined ? 0 : 1
    return world
  }
  const onReport = (report: JobReport, job: Job): boolean => {
    const [first] = complaints(report)
    const { without } = job
    if (without === undefined) {
      if (first !== undefined) console.error(`${jobName(job)} fails as it is: ${first.slice(0, 200)}`)
      else queue.push(...jobsWithout(job, report, { left, spoken }))
    } else if (first !== undefined) {
      const half = Math.ceil(without.length / 2)
      const [only = ''] = without
      if (without.length > 1)
        queue.unshift({ ...job, without: without.slice(0, half) }, { ...job, without: without.slice(half) })
      else if (left.delete(only)) onSeen(only, first, job)
    }
    return true
  }
  const jobs: Iterable<Job> = { [Symbol.iterator]: () => ({ next: () => asResult(next()) }) }
  await runJobs({ root, jobs, workers, onReport })
  return { spoken, worlds: looked }
}

/** The same world without the rules that are looked for and had something to say in it. */
function jobsWithout(job: Job, report: JobReport, known: Known): readonly Job[] {
  const bySpoken = Map.groupBy(missable(report.spoken ?? [], known), (id) => known.spoken.get(id) ?? 1)
  const groups = [...bySpoken].flatMap(([times, ids]) => chunks(ids, Math.min(2 ** (times - 1), RULES_AT_ONCE)))
  return groups.map((without) => ({ ...job, ...limitOf(report), without }))
}

const chunks = (ids: readonly string[], size: number): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / size) }, (_, i) => ids.slice(i * size, (i + 1) * size))

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
