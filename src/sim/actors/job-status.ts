import { present } from '../../ground/model/present.ts'
import type { JobObject } from './job-object.ts'
import { omitZeros } from './omit-zeros.ts'
import type { Condition } from './pod-object.ts'

export interface JobCounts {
  readonly active: number
  readonly ready: number
  readonly succeeded: number
  readonly failed: number
}

export type JobVerdict = 'runs' | 'suspended' | 'complete' | 'failed'

/** job_controller.go, syncJob: too many failures end it, and so do as many successes as it wants. */
export function verdictOf({ spec }: JobObject, { active, succeeded, failed }: JobCounts): JobVerdict {
  if (failed > (spec.backoffLimit ?? 6)) return 'failed'
  const isComplete = spec.completions === undefined ? succeeded > 0 && active === 0 : succeeded >= spec.completions
  if (isComplete) return 'complete'
  return spec.suspend === true ? 'suspended' : 'runs'
}

/** The same, manageJob. Without a number of completions, no pod is made after the first success. */
export function wantedPods({ spec }: JobObject, { active, succeeded }: JobCounts): number {
  const { parallelism = 1, completions } = spec
  if (completions === undefined) return succeeded > 0 ? Math.min(active, parallelism) : parallelism
  return Math.min(parallelism, completions - succeeded)
}

type JobCondition = Condition & { readonly lastProbeTime: string }

interface JobStatusInput {
  readonly job: JobObject
  readonly verdict: JobVerdict
  readonly counts: JobCounts
  /** Pods that are being deleted. */
  readonly terminating: number
  /** RFC 3339. */
  readonly now: string
}

const FAILED = 'Job has reached the specified backoff limit'
const REACHED = 'Reached expected number of succeeded pods'

/** A verdict is announced at once, and the Job is over when its last pod has ended (KEP-3939, KEP-3998). */
export function jobStatus({ job, verdict, counts, terminating, now }: JobStatusInput): JobObject['status'] {
  const { active, ready, succeeded, failed } = counts
  const isOver = active === 0 && terminating === 0
  const is = (type: string, reason: string, message: string): JobCondition => ({
    type,
    status: 'True',
    reason,
    message,
    lastProbeTime: now,
    lastTransitionTime: now,
  })
  const announced: Readonly<Record<JobVerdict, readonly JobCondition[]>> = {
    runs: resumed(job, now),
    suspended: [is('Suspended', 'JobSuspended', 'Job suspended')],
    complete: [
      is('SuccessCriteriaMet', 'CompletionsReached', REACHED),
      ...(isOver ? [is('Complete', 'CompletionsReached', REACHED)] : []),
    ],
    failed: [
      is('FailureTarget', 'BackoffLimitExceeded', FAILED),
      ...(isOver ? [is('Failed', 'BackoffLimitExceeded', FAILED)] : []),
    ],
  }
  const before = job.status?.conditions ?? []
  const more = announced[verdict].filter(({ type, status }) =>
    before.every((one) => one.type !== type || one.status !== status),
  )
  const conditions = [...before.filter(({ type }) => more.every((one) => one.type !== type)), ...more]
  const isStarted = verdict !== 'suspended'
  const wasResumed = more.some(({ type, status }) => type === 'Suspended' && status === 'False')
  return {
    ...(conditions.length === 0 ? {} : { conditions }),
    ...present({
      startTime: isStarted && (job.status?.startTime === undefined || wasResumed) ? now : job.status?.startTime,
      completionTime: verdict === 'complete' && isOver ? now : undefined,
    }),
    ...omitZeros({ active, succeeded, failed }),
    ready,
    ...{ terminating, uncountedTerminatedPods: {} },
  }
}

function resumed({ status }: JobObject, now: string): readonly JobCondition[] {
  const wasSuspended =
    status?.conditions?.some(({ type, status: is }) => type === 'Suspended' && is === 'True') === true
  return wasSuspended
    ? [
        {
          type: 'Suspended',
          status: 'False',
          reason: 'JobResumed',
          message: 'Job resumed',
          lastProbeTime: now,
          lastTransitionTime: now,
        },
      ]
    : []
}
