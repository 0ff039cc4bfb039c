import type { ApiObject } from '../world/api-object.ts'
import type { BudgetObject } from '../world/budget-object.ts'
import { labelTest } from '../world/label-selector.ts'
import { stampOf } from '../world/world.ts'

export interface GuardedPod extends ApiObject {
  readonly status?: {
    readonly phase?: string
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}

export interface BudgetInput {
  readonly budget: BudgetObject
  /** Pods of the budget's namespace, also those of other selectors. */
  readonly pods: readonly GuardedPod[]
  /** The sum of the replicas that the controllers of these pods want. Only called where the budget needs it. */
  readonly expected: (pods: readonly GuardedPod[]) => number | { readonly unscalable: string }
  readonly nowMs: number
}

/**
 * An eviction that was granted, but whose pod was never deleted, is forgotten after this time (disruption.go, DeletionTimeout).
 */
const DELETION_TIMEOUT_MS = 120_000

/** The status of a budget by the disruption controller (pkg/controller/disruption/disruption.go, trySync). */
export function budgetStatus({ budget, pods, expected, nowMs }: BudgetInput): BudgetObject['status'] {
  const isSelected = labelTest(budget.spec.selector)
  // A pod that has ended is expected until it is deleted (disruption.go, getPodsForPdb).
  const guarded = pods.filter((pod) => isSelected(pod.metadata.labels))
  const wanted = needs(budget, guarded, expected)
  if ('unscalable' in wanted) return failed(budget, wanted.unscalable, nowMs)
  const disrupted = stillDisrupted(budget, guarded, nowMs)
  const healthy = guarded.filter((pod) => isHealthy(pod) && disrupted[pod.metadata.name] === undefined).length
  const allowed = wanted.expectedPods <= 0 ? 0 : Math.max(0, healthy - wanted.desiredHealthy)
  return {
    observedGeneration: budget.metadata.generation ?? 0,
    disruptionsAllowed: allowed,
    currentHealthy: healthy,
    ...wanted,
    ...(Object.keys(disrupted).length === 0 ? {} : { disruptedPods: disrupted }),
    conditions: [
      since(budget, nowMs, {
        ...(allowed > 0
          ? { status: 'True', reason: 'SufficientPods' }
          : { status: 'False', reason: 'InsufficientPods' }),
        ...{ type: 'DisruptionAllowed', message: '' },
      }),
    ],
  }
}

type BudgetCondition = NonNullable<BudgetObject['status']['conditions']>[number]

/** With the time since when it is so. */
function since({ status }: BudgetObject, nowMs: number, condition: BudgetCondition): BudgetCondition {
  const before = status.conditions?.find(({ type }) => type === condition.type)
  const isSame = before?.status === condition.status && before.lastTransitionTime !== undefined
  return { ...condition, lastTransitionTime: isSame ? before.lastTransitionTime : stampOf(nowMs) }
}

interface Needs {
  readonly expectedPods: number
  readonly desiredHealthy: number
}

function needs(
  { spec }: BudgetObject,
  guarded: readonly GuardedPod[],
  expected: BudgetInput['expected'],
): Needs | { readonly unscalable: string } {
  const { minAvailable, maxUnavailable } = spec
  if (maxUnavailable === undefined && (minAvailable === undefined || typeof minAvailable === 'number')) {
    return { expectedPods: guarded.length, desiredHealthy: minAvailable ?? 0 }
  }
  const expectedPods = expected(guarded)
  if (typeof expectedPods !== 'number') return expectedPods
  const desiredHealthy =
    maxUnavailable === undefined
      ? shareOf(minAvailable, expectedPods)
      : Math.max(0, expectedPods - shareOf(maxUnavailable, expectedPods))
  return { expectedPods, desiredHealthy }
}

/** A percentage is always rounded up. */
function shareOf(value: number | string | undefined, of: number): number {
  if (typeof value === 'number') return value
  const percent = Number(/^(\d{1,3})%$/.exec(value ?? '')?.[1] ?? 0)
  return Math.ceil((percent * of) / 100)
}

function failed(budget: BudgetObject, message: string, nowMs: number): BudgetObject['status'] {
  const condition = { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message }
  return { ...budget.status, disruptionsAllowed: 0, conditions: [since(budget, nowMs, condition)] }
}

function stillDisrupted(
  { status }: BudgetObject,
  guarded: readonly GuardedPod[],
  nowMs: number,
): Readonly<Record<string, string>> {
  const known = Object.entries(status.disruptedPods ?? {})
  if (known.length === 0) return {}
  const waiting = new Set(
    guarded.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(({ metadata }) => metadata.name),
  )
  return Object.fromEntries(
    known.filter(([name, at]) => waiting.has(name) && nowMs - Date.parse(at) < DELETION_TIMEOUT_MS),
  )
}

const isHealthy = ({ metadata, status }: GuardedPod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true
