import { type DisruptionBudget, operatorOf } from '../../../ground/model/disruption-budget.ts'
import type { EvictionAnswer } from '../../../ground/model/eviction.ts'
import { selectorMatches } from '../../../ground/model/label-selector.ts'
import { type ObjectRef, refKey } from '../../../ground/model/object-ref.ts'
import type { Pod } from '../../../ground/model/pod.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { kubectl } from '../../../ground/model/sentence.ts'
import { guardOf } from './guard-of.ts'

/** Why a pod could not be evicted, with the budget and its numbers in it. */
export function evictionRefusal(pod: Pod, answer: EvictionAnswer, budgets: readonly DisruptionBudget[]): Reason {
  const object = refKey(pod)
  const eviction = `the eviction of ${object}`
  const mine = budgets.filter(
    (budget) => budget.namespace === pod.namespace && selectorMatches(budget.selector, pod.labels),
  )
  switch (answer.kind) {
    case 'budget':
    case 'budgetStale': {
      const named = mine.find((budget) => budget.name === answer.refusal.budget) ?? mine[0]
      if (named?.syncFailed === true) return brokenBudget(object, refKey(named))
      return guardReason(pod) ?? budgetReason(pod, answer.refusal, named)
    }
    case 'budgetBroken':
      return {
        code: 'BudgetBroken',
        object,
        text: `${object}: budget ${answer.refusal.budget} cannot be computed: ${answer.text}`,
        never: true,
      }
    case 'twoBudgets':
      return {
        code: 'TwoBudgets',
        object,
        text: `${object} is under ${mine.length > 1 ? mine.map(describe).join(' and ') : 'more than one budget'}, which eviction does not support`,
        never: true,
        next: 'let only one budget select each pod',
      }
    case 'throttled':
      return { code: 'Throttled', object, text: `the API server is busy; the eviction of ${object} is tried again` }
    case 'putOff':
      return { code: 'EvictionPutOff', object, text: `${eviction} is put off, and tried again: ${answer.text}` }
    case 'namespaceTerminating':
      return { code: 'NamespaceTerminating', object, text: `the namespace of ${object} is being deleted` }
    case 'passing':
      return { code: 'EvictionFailed', object, text: `${eviction} failed and is tried again: ${answer.text}` }
    case 'refused':
      return { code: 'EvictionRefused', object, text: `${eviction} is refused (${answer.status}): ${answer.text}` }
    case 'accepted':
    case 'gone':
    case 'replaced':
      return { code: 'PodLeaving', object, text: `${object} is leaving` }
  }
}

/** A budget that could never be computed answers "still being processed" for ever (seen on 1.35); its condition shows why. */
const brokenBudget = (object: string, budget: string): Reason => ({
  code: 'BudgetBroken',
  object,
  text: `${object}: budget ${budget} cannot be computed (condition SyncFailed)`,
  never: true,
})

/** The budget of a NodeGuard is shut until it grants the node: its numbers do not matter, and editing it would be wrong. */
function guardReason(pod: Pod): Reason | undefined {
  const guard = guardOf(pod)
  if (guard === undefined) return undefined
  const { namespace, nodeName = 'its node' } = pod
  return {
    code: 'GuardNotGranted',
    object: refKey(pod),
    text: `${refKey(pod)}: NodeGuard ${namespace}/${guard} has not granted ${nodeName} yet`,
    next: kubectl`-n ${namespace} describe nodeguard ${guard}`,
  }
}

function budgetReason(
  pod: Pod,
  refusal: { readonly budget: string; readonly need?: number; readonly have?: number },
  budget: DisruptionBudget | undefined,
): Reason {
  const name = budget === undefined ? refusal.budget : refKey(budget)
  const need = refusal.need ?? budget?.desiredHealthy
  const have = refusal.have ?? budget?.currentHealthy
  const of = budget === undefined ? '' : ` of ${budget.expectedPods}`
  const object = refKey(pod)
  const never = budget !== undefined && neverAllows(pod, budget)
  const tail = never ? '; it allows no eviction at all, so waiting alone will not help' : ''
  return {
    code: 'BudgetExhausted',
    object,
    text: `${object}, budget ${name} needs ${need ?? '?'} healthy, has ${have ?? '?'}${of}${tail}`,
    ...(never ? { never, next: kubectl`-n ${budget.namespace} edit poddisruptionbudget ${budget.name}` } : {}),
  }
}

const describe = (budget: ObjectRef & Pick<DisruptionBudget, 'desiredHealthy' | 'currentHealthy'>): string =>
  `budget ${refKey(budget)} (needs ${budget.desiredHealthy} healthy, has ${budget.currentHealthy})`

/**
 * Known without an eviction: `maxUnavailable: 0`, or `minAvailable` of at least as many as there are pods, all of them healthy. An operator
 * may open its budget.
 */
export function neverAllows(pod: Pod, budget: DisruptionBudget): boolean {
  if (budget.disruptionsAllowed > 0 || operatorOf(pod, budget) !== undefined) return false
  if (budget.maxUnavailable === '0' || budget.maxUnavailable === '0%') return true
  return budget.desiredHealthy >= budget.expectedPods && budget.currentHealthy >= budget.expectedPods
}
