import { type DeploymentObject, rollingLimits } from './deployment-object.ts'
import { omitZeros } from './omit-zeros.ts'
import type { Condition } from './pod-object.ts'
import type { ReplicaSetObject } from './replica-set-object.ts'
import { withCondition } from './with-condition.ts'

interface DeploymentInput {
  readonly deployment: DeploymentObject
  /** The ReplicaSet of its present template. */
  readonly current: ReplicaSetObject | undefined
  readonly all: readonly ReplicaSetObject[]
  /** RFC 3339. */
  readonly now: string
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
  return { ...omitZeros(numbers), conditions: [...conditionsOf(input, numbers), ...failureOf(input)] }
}

const FAILURE = 'ReplicaFailure'

/** The failure that its ReplicaSet reports. */
const failureOf = ({ current }: DeploymentInput): readonly Condition[] =>
  (current?.status?.conditions ?? []).filter(({ type }) => type === FAILURE)

interface Numbers {
  readonly replicas: number
  readonly updatedReplicas: number
  readonly availableReplicas: number
}

function conditionsOf({ deployment, current, now }: DeploymentInput, numbers: Numbers): readonly Condition[] {
  const { replicas = 1 } = deployment.spec
  const isEnough = numbers.availableReplicas >= replicas - rollingLimits(deployment).unavailable
  const available: Condition = isEnough
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
        lastTransitionTime: now,
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
        lastTransitionTime: now,
      }
  const before = deployment.status?.conditions?.filter(({ type }) => type !== FAILURE)
  const withAvailable = withCondition(before, available)
  const name = current?.metadata.name
  if (name === undefined) return withAvailable
  const isComplete =
    numbers.updatedReplicas === replicas && numbers.replicas === replicas && numbers.availableReplicas >= replicas
  const done = {
    type: 'Progressing',
    status: 'True',
    reason: 'NewReplicaSetAvailable',
    lastTransitionTime: now,
  } as const
  if (isComplete) {
    return withCondition(withAvailable, { ...done, message: `ReplicaSet "${name}" has successfully progressed.` })
  }
  // A rollout that was once complete does not start anew when pods fail later.
  const wasComplete = before?.some(({ type, reason }) => type === 'Progressing' && reason === done.reason) === true
  if (wasComplete && numbers.replicas === numbers.updatedReplicas) return withAvailable
  return withCondition(withAvailable, {
    ...done,
    reason: 'ReplicaSetUpdated',
    message: `ReplicaSet "${name}" is progressing.`,
  })
}
