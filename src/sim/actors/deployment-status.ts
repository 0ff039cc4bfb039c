import { present } from '../../ground/model/present.ts'
import { stampOf } from '../world/world.ts'
import { type DeploymentCondition, type DeploymentObject, rollingLimits } from './deployment-object.ts'
import { type DeploymentNumbers, progressCondition } from './deployment-progress.ts'
import { omitZeros } from './omit-zeros.ts'
import { isGoing } from './pod-object.ts'
import type { ReplicaSetObject } from './replica-set-object.ts'

interface DeploymentInput {
  readonly deployment: DeploymentObject
  /** The ReplicaSet of its present template. */
  readonly current: ReplicaSetObject | undefined
  /** It was made just now. */
  readonly isNew: boolean
  readonly all: readonly ReplicaSetObject[]
  readonly nowMs: number
}

type Count = 'replicas' | 'readyReplicas' | 'availableReplicas'

/** The status that `kubectl rollout status` uses (pkg/controller/deployment/sync.go, calculateStatus; progress.go). */
export function deploymentStatus(input: DeploymentInput): DeploymentObject['status'] {
  const { deployment, current, all } = input
  const sum = (count: Count): number => all.reduce((total, { status }) => total + (status?.[count] ?? 0), 0)
  const wanted = all.reduce((total, { spec }) => total + (spec.replicas ?? 0), 0)
  const numbers = {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: sum('replicas'),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: sum('readyReplicas'),
    availableReplicas: sum('availableReplicas'),
    unavailableReplicas: Math.max(0, wanted - sum('availableReplicas')),
  }
  const progress = progressCondition({ ...input, numbers, set: current?.metadata.name })
  const conditions = [availability(input, numbers), ...(progress === undefined ? [] : [progress]), ...failureOf(input)]
  return { ...omitZeros(numbers), conditions }
}

const FAILURE = 'ReplicaFailure'

/**
 * The failure that a ReplicaSet reports, that of the present template before others (progress.go, getReplicaFailures). A pause
 * leaves it as it was.
 */
function failureOf({ deployment, current, all }: DeploymentInput): readonly DeploymentCondition[] {
  const before = deployment.status?.conditions?.filter(({ type }) => type === FAILURE) ?? []
  if (deployment.spec.paused === true || isGoing(deployment)) return before
  const reported = [current, ...all].flatMap((set) => set?.status?.conditions ?? [])
  const failure = reported.find(({ type }) => type === FAILURE)
  if (failure === undefined) return []
  const isKnown = before.some(({ status, reason }) => status === failure.status && reason === failure.reason)
  return isKnown ? before : [{ ...failure, ...present({ lastUpdateTime: failure.lastTransitionTime }) }]
}

/** Only a change of its status or reason is written (deployment_util.go, SetDeploymentCondition). */
function availability({ deployment, nowMs }: DeploymentInput, numbers: DeploymentNumbers): DeploymentCondition {
  const { replicas = 1 } = deployment.spec
  const isEnough = numbers.availableReplicas >= replicas - rollingLimits(deployment).unavailable
  const before = deployment.status?.conditions?.find(({ type }) => type === 'Available')
  if (before?.status === (isEnough ? 'True' : 'False')) return before
  const now = stampOf(nowMs)
  return {
    type: 'Available',
    ...(isEnough
      ? { status: 'True', reason: 'MinimumReplicasAvailable', message: 'Deployment has minimum availability.' }
      : {
          status: 'False',
          reason: 'MinimumReplicasUnavailable',
          message: 'Deployment does not have minimum availability.',
        }),
    lastUpdateTime: now,
    lastTransitionTime: now,
  }
}
