import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Job, JobReport } from './job.ts'

interface Jobs {
  /** Taken one after the other, as workers become free. */
  readonly jobs: Iterable<Job>
  /** Told in the order in which they end; false: no further job is begun. */
  readonly onReport: (report: JobReport, job: Job) => boolean
  readonly workers?: number
  /** The tree whose engine is run; this one, unless told otherwise. */
  readonly root?: string
}

const ROOT = new URL('../../../..', import.meta.url).pathname
const WORKER = 'test/support/virtual-roll/jobs/job-worker.ts'
/**
 * A job that hangs is no answer either; a loop ends far sooner (`job-worker.ts`). Beside clusters a job of a second can take
 * minutes. Seconds in which this process was stopped are none.
 */
const JOB_LIMIT_S = 600

/**
 * A process that is killed in virtual time never ends what it waits for, and Node keeps a signal of `AbortSignal.any` for as long as
 * something listens to it: each job leaves up to 3 MB behind.
 */
const JOBS_A_WORKER = 100

/** Does jobs in processes of their own, two at a time unless told otherwise. */
export async function runJobs({ jobs, onReport, workers = 2, root = ROOT }: Jobs): Promise<void> {
  const queue = jobs[Symbol.iterator]()
  let isWanted = true
  const work = async (): Promise<void> => {
    let worker = start(root)
    let ended = 0
    try {
      while (isWanted) {
        const { value: job, done = false } = queue.next()
        if (done || job === undefined) return
        const report = await answerOf(worker, job)
        isWanted = onReport(report, job) && isWanted
        ended += 1
        if (worker.connected && worker.exitCode === null && ended % JOBS_A_WORKER !== 0) continue
        worker.kill('SIGKILL')
        worker = start(root)
      }
    } finally {
      worker.kill('SIGKILL')
    }
  }
  await Promise.all(Array.from({ length: workers }, work))
}

const start = (root: string): ChildProcess =>
  fork(join(root, WORKER), {
    env: { NODE_COMPILE_CACHE: join(root, '.cache/jobs'), ...process.env },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })

async function answerOf(worker: ChildProcess, job: Job): Promise<JobReport> {
  const stop = new AbortController()
  let said = ''
  const hear = (text: Buffer): void => {
    said = `${said}${text}`.slice(-2_000)
  }
  worker.stderr?.on('data', hear)
  let seconds = 0
  const late = setInterval(() => {
    seconds += 1
    if (seconds !== JOB_LIMIT_S) return
    said += `no answer within ${JOB_LIMIT_S} s`
    worker.kill('SIGKILL')
  }, 1_000)
  try {
    worker.send(job)
    const died = once(worker, 'exit', { signal: stop.signal }).then(
      ([code, signal]): JobReport => ({ kind: 'thrown', job, error: `the worker ended by ${signal ?? code}: ${said}` }),
    )
    const answered = once(worker, 'message', { signal: stop.signal }).then(([report]) => report as JobReport)
    return await Promise.race([answered, died])
  } finally {
    clearInterval(late)
    worker.stderr?.off('data', hear)
    stop.abort()
  }
}
