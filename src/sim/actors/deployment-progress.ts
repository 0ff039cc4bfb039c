import { stampOf } from '../world/world.ts'
import type { DeploymentCondition, DeploymentObject } from './deployment-object.ts'

/** What is counted of the pods of a Deployment. */
export interface DeploymentNumbers {
  readonly replicas: number
  readonly updatedReplicas: number
  readonly readyReplicas: number
  readonly availableReplicas: number
}

interface Progress {
  readonly deployment: DeploymentObject
  readonly numbers: DeploymentNumbers
  /** Of the present template. */
  readonly set: string | undefined
  /** It was made just now. */
  readonly isNew: boolean
  readonly nowMs: number
}

const COMPLETE = 'NewReplicaSetAvailable'
const LATE = 'ProgressDeadlineExceeded'
const PAUSED = 'DeploymentPaused'
/** What the API stores where nothing is said (pkg/apis/apps/v1/defaults.go). */
const DEADLINE_S = 600
/** As much as no deadline (deployment_util.go, HasProgressDeadline). */
const NONE_S = 2 ** 31 - 1
const TYPE = 'Progressing'

type Said = Pick<DeploymentCondition, 'status' | 'reason' | 'message'>

/**
 * How a rollout goes: complete, going on, or without progress for longer than its deadline
 * (pkg/controller/deployment/progress.go, syncRolloutStatus). Progress begins when its ReplicaSet is made; a rollout that was
 * once complete does not start anew when pods fail later. undefined: nothing is said.
 */
export function progressCondition(progress: Progress): DeploymentCondition | undefined {
  const before = progressOf(progress.deployment)
  if (!hasDeadline(progress.deployment)) return undefined
  const said = saying(progress, before)
  if (said === undefined) return before
  const now = stampOf(progress.nowMs)
  const lastTransitionTime = before?.status === said.status ? (before.lastTransitionTime ?? now) : now
  return { type: TYPE, ...said, lastUpdateTime: now, lastTransitionTime }
}

/** undefined: as before. */
function saying(progress: Progress, before: DeploymentCondition | undefined): Said | undefined {
  const { deployment, numbers, set, isNew } = progress
  const { paused = false } = deployment.spec
  if (isNew) return said('True', 'NewReplicaSetCreated', `Created new replica set "${set}"`)
  if (paused !== (before?.reason === PAUSED) && before?.reason !== LATE && (paused || before !== undefined))
    return paused
      ? said('Unknown', PAUSED, 'Deployment is paused')
      : said('Unknown', 'DeploymentResumed', 'Deployment is resumed')
  if (paused) return undefined
  if (before === undefined && set !== undefined)
    return said('True', 'FoundNewReplicaSet', `Found new replica set "${set}"`)
  if (before?.reason === COMPLETE && numbers.replicas === numbers.updatedReplicas) return undefined
  const name = set === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${set}"`
  if (isComplete(deployment, numbers))
    return before?.reason === COMPLETE ? undefined : said('True', COMPLETE, `${name} has successfully progressed.`)
  if (isFurther(deployment, numbers)) return said('True', 'ReplicaSetUpdated', `${name} is progressing.`)
  if (before === undefined || before.reason === COMPLETE || before.reason === LATE) return undefined
  return progress.nowMs > dueMs(deployment, before)
    ? said('False', LATE, `${name} has timed out progressing.`)
    : undefined
}

const said = (status: Said['status'], reason: string, message: string): Said => ({ status, reason, message })

/** When to look again whether the deadline has passed; undefined: never (requeueStuckDeployment). */
export function progressCheckMs(deployment: DeploymentObject, nowMs: number): number | undefined {
  const condition = progressOf(deployment)
  if (condition === undefined || !hasDeadline(deployment)) return undefined
  if (condition.reason === COMPLETE || condition.reason === LATE || deployment.spec.paused === true) return undefined
  return Math.max(0, dueMs(deployment, condition) - nowMs) + 1_000
}

const progressOf = ({ status }: DeploymentObject): DeploymentCondition | undefined =>
  status?.conditions?.find(({ type }) => type === TYPE)

const hasDeadline = ({ spec }: DeploymentObject): boolean => (spec.progressDeadlineSeconds ?? DEADLINE_S) !== NONE_S

const dueMs = ({ spec }: DeploymentObject, { lastUpdateTime = '' }: DeploymentCondition): number =>
  Date.parse(lastUpdateTime) + 1_000 * (spec.progressDeadlineSeconds ?? DEADLINE_S)

function isComplete({ spec: { replicas = 1 } }: DeploymentObject, numbers: DeploymentNumbers): boolean {
  return numbers.updatedReplicas === replicas && numbers.replicas === replicas && numbers.availableReplicas === replicas
}

/** More new pods, fewer old ones, or more that are Ready or available than before (DeploymentProgressing). */
function isFurther({ status }: DeploymentObject, numbers: DeploymentNumbers): boolean {
  const { replicas = 0, updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = status ?? {}
  return (
    numbers.updatedReplicas > updatedReplicas ||
    numbers.replicas - numbers.updatedReplicas < replicas - updatedReplicas ||
    numbers.readyReplicas > readyReplicas ||
    numbers.availableReplicas > availableReplicas
  )
}
