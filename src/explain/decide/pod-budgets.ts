import { type DisruptionBudget, letsUnreadyGo, operatorOf } from '../../ground/model/disruption-budget.ts'
import type { EvictionAnswer } from '../../ground/model/eviction.ts'
import { type LabelRequirement, type LabelSelector, selectorMatches } from '../../ground/model/label-selector.ts'
import { refKey } from '../../ground/model/object-ref.ts'
import type { Pod } from '../../ground/model/pod.ts'
import { kubectl } from '../../ground/model/sentence.ts'
import { neverAllows } from '../../roll/decide/drain/budget-reasons.ts'
import { letsOneMoreHelp } from '../../roll/decide/plan/budget-arithmetic.ts'
import type { Next } from './finding.ts'

export const budgetsOver = (pod: Pod, budgets: readonly DisruptionBudget[]): readonly DisruptionBudget[] =>
  budgets.filter((budget) => budget.namespace === pod.namespace && selectorMatches(budget.selector, pod.labels))

/** The API server's answer, computed from the numbers of the budgets, where no eviction was tried. */
export function answerByBudgets(pod: Pod, budgets: readonly DisruptionBudget[]): EvictionAnswer {
  const [budget, second] = budgetsOver(pod, budgets)
  if (budget === undefined || pod.phase === 'Pending') return { kind: 'accepted' }
  if (second !== undefined) return { kind: 'twoBudgets', text: 'more than one budget selects it' }
  const isFree = !pod.ready && letsUnreadyGo(budget)
  if (isFree || budget.disruptionsAllowed > 0) return { kind: 'accepted' }
  return {
    kind: 'budget',
    refusal: { budget: budget.name, need: budget.desiredHealthy, have: budget.currentHealthy },
  }
}

/** `shop/cart: minAvailable 2 of 3 pods, so 2 must be healthy; 2 are healthy now, so 0 may be away`. */
export function arithmetic(budget: DisruptionBudget): string {
  const { minAvailable, maxUnavailable, desiredHealthy, currentHealthy, expectedPods, disruptionsAllowed } = budget
  const rule =
    minAvailable !== undefined
      ? `minAvailable ${minAvailable}`
      : maxUnavailable !== undefined
        ? `maxUnavailable ${maxUnavailable}`
        : 'no limit'
  const sums = `${rule} of ${expectedPods} pods, so ${desiredHealthy} must be healthy; ${currentHealthy} ${currentHealthy === 1 ? 'is' : 'are'} healthy now, so ${disruptionsAllowed} may be away`
  return `budget ${refKey(budget)}: ${budget.syncFailed ? 'it cannot be computed (condition SyncFailed); ' : ''}${sums}`
}

/** What would let the pod leave. */
export function budgetNext(pod: Pod, budget: DisruptionBudget): readonly Next[] {
  const { namespace, name, selector, currentHealthy, expectedPods } = budget
  if (budget.syncFailed)
    return [
      { command: kubectl`-n ${namespace} describe poddisruptionbudget ${name}`, note: 'why it cannot be computed' },
    ]
  const operator = operatorOf(pod, budget)
  if (operator !== undefined)
    return [
      {
        command: kubectl`-n ${namespace} describe poddisruptionbudget ${name}`,
        note: `wait until the operator of ${operator.kind} ${operator.name} opens it; it protects the data of the pod, so do not edit it`,
      },
    ]
  if (neverAllows(pod, budget))
    return [
      {
        command: kubectl`-n ${namespace} edit poddisruptionbudget ${name}`,
        note: `let budget ${namespace}/${name} allow one pod to be away${pod.controller !== undefined && letsOneMoreHelp(budget) ? ', or run one more replica' : ''}`,
      },
    ]
  const command = kubectl`-n ${namespace} get pods -o wide ${selectorFlag(selector)}`
  return currentHealthy < expectedPods
    ? [{ command: command, note: 'which pod of the budget is not healthy; repair that one' }]
    : [{ command: command, note: 'wait: another pod of the budget is on its way out' }]
}

function selectorFlag(selector: LabelSelector): readonly string[] {
  const labels = [
    ...Object.entries(selector.matchLabels).map(([key, value]) => `${key}=${value}`),
    ...selector.matchExpressions.map(requirementText),
  ]
  return labels.length === 0 ? [] : ['-l', labels.join(',')]
}

/** In the form of `kubectl -l`. */
function requirementText({ key, operator, values }: LabelRequirement): string {
  if (operator === 'Exists') return key
  if (operator === 'DoesNotExist') return `!${key}`
  return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`
}
