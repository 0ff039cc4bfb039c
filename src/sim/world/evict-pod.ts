import { present } from '../../ground/model/present.ts'
import { ApiFailure } from './api-failure.ts'
import type { ApiObject } from './api-object.ts'
import { DISRUPTION_BUDGETS, PODS } from './api-resource.ts'
import type { BudgetObject } from './budget-object.ts'
import { type DeleteOptions, deleteObject } from './delete-object.ts'
import { labelTest } from './label-selector.ts'
import { markDisrupted } from './mark-disrupted.ts'
import { stampOf, type World } from './world.ts'

interface Eviction {
  readonly pod: ApiObject
  readonly options: DeleteOptions
}

interface PodStatus {
  readonly phase?: string
  readonly conditions?: readonly { readonly type: string; readonly status: string }[]
}

/**
 * Deletes a pod as the subresource `eviction` does: under the budget that guards it, and marked as disrupted in a commit
 * of its own (pkg/registry/core/pod/storage/eviction.go, addConditionAndDeletePod). Throws ApiFailure 409, 429 or 500.
 */
export function evictPod(world: World, { pod, options }: Eviction): void {
  const status = (pod.status ?? {}) as PodStatus
  // Preconditions are told of before a disruption is spent on them.
  deleteObject(world, { resource: PODS, old: pod, options: { ...options, dryRun: true } })
  if (isGuarded(pod, status)) payFor(world, { pod, options }, status)
  if (options.dryRun === true) return
  const old = markDisrupted(world, { pod, reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' })
  deleteObject(world, { resource: PODS, old, options: { ...options, preconditions: { uid: pod.metadata.uid } } })
}

function payFor(world: World, { pod, options }: Eviction, status: PodStatus): void {
  const budgets = budgetsOf(world, pod)
  if (budgets.length > 1) {
    const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'
    throw new ApiFailure({ code: 500, message })
  }
  const [budget] = budgets
  if (budget !== undefined && !isFree(budget, status)) spend(world, { budget, pod, dryRun: options.dryRun === true })
}

const isGuarded = ({ metadata }: ApiObject, { phase }: PodStatus): boolean =>
  phase !== 'Succeeded' && phase !== 'Failed' && phase !== 'Pending' && metadata.deletionTimestamp === undefined

function budgetsOf(world: World, { metadata }: ApiObject): readonly BudgetObject[] {
  return [...world.store.all(DISRUPTION_BUDGETS)]
    .map((object) => object as BudgetObject)
    .filter((budget) => budget.metadata.namespace === metadata.namespace)
    .filter(({ spec }) => labelTest(spec.selector)(metadata.labels))
}

/** A pod that is not Ready serves no client: it goes without being counted where the budget allows that. */
function isFree({ spec, status }: BudgetObject, pod: PodStatus): boolean {
  const isReady =
    pod.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true
  if (isReady) return false
  if (spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true
  const { currentHealthy = 0, desiredHealthy = 0 } = status
  return currentHealthy >= desiredHealthy && desiredHealthy > 0
}

interface Spending {
  readonly budget: BudgetObject
  readonly pod: ApiObject
  readonly dryRun: boolean
}

function spend(world: World, { budget, pod, dryRun }: Spending): void {
  const { metadata, status } = budget
  const { observedGeneration = 0, disruptionsAllowed = 0, currentHealthy = 0, desiredHealthy = 0 } = status
  if (observedGeneration < (metadata.generation ?? 0)) {
    throw tooMany(`The disruption budget ${metadata.name} is still being processed by the server.`, 10)
  }
  if (disruptionsAllowed <= 0) {
    const failed = status.conditions?.find(
      ({ type, reason }) => type === 'DisruptionAllowed' && reason === 'SyncFailed',
    )
    const message =
      failed === undefined
        ? `The disruption budget ${metadata.name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
        : `The disruption budget ${metadata.name} does not allow evicting pods currently because it failed sync: ${failed.message ?? ''}`
    throw tooMany(message)
  }
  if (dryRun) return
  const disruptedPods = { ...status.disruptedPods, [pod.metadata.name]: stampOf(world.clock.wallMs()) }
  world.store.put(DISRUPTION_BUDGETS, {
    ...budget,
    status: { ...status, disruptionsAllowed: disruptionsAllowed - 1, disruptedPods },
  })
}

const tooMany = (message: string, retryAfterSeconds?: number): ApiFailure =>
  new ApiFailure({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: {
      causes: [{ reason: 'DisruptionBudget', message }],
      ...present({ retryAfterSeconds }),
    },
  })
