import type { ApiObject } from '../world/api-object.ts'
import type { PodTemplate } from './owned-pods.ts'
import type { Condition } from './pod-object.ts'

export interface JobObject extends ApiObject {
  readonly spec: {
    readonly parallelism?: number
    readonly completions?: number
    readonly backoffLimit?: number
    readonly suspend?: boolean
    readonly template: PodTemplate
  }
  readonly status?: {
    readonly active?: number
    readonly ready?: number
    readonly succeeded?: number
    readonly failed?: number
    readonly startTime?: string
    readonly completionTime?: string
    readonly conditions?: readonly Condition[]
  }
}

/** Holds a pod until its Job has counted it (batch/v1, JobTrackingFinalizer). */
export const JOB_TRACKING = 'batch.kubernetes.io/job-tracking'

export const isJobOver = ({ status }: JobObject): boolean =>
  status?.conditions?.some(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True') ===
  true
