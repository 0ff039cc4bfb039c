import { type DisruptionBudget, letsUnreadyGo, operatorOf } from '../../../ground/model/disruption-budget.ts'
import { firstOf } from '../../../ground/model/first-of.ts'
import { refKey } from '../../../ground/model/object-ref.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import type { Pod } from '../../../ground/model/pod.ts'
import { type Command, kubectl, say } from '../../../ground/model/sentence.ts'
import { blockedSpec } from '../drain/blocked-ladder.ts'
import { isGated } from '../drain/guard-of.ts'
import { workloadOf } from '../drain/workload-of.ts'
import { withLadder } from './blocked-advice.ts'
import { type BudgetNeeds, budgetNeeds, letsOneMoreHelp } from './budget-arithmetic.ts'
import { gatherPods } from './gathered-pods.ts'
import type { PlanSnapshot } from './plan-snapshot.ts'
import { SelectedPods, SelectingObjects } from './selected-pods.ts'

/** Findings about the eviction of these pods: one for each budget, whatever the number of its pods. */
export function disruptionFindings(s: PlanSnapshot, moving: readonly Pod[]): readonly PlanFinding[] {
  const { cluster } = s
  const budgets = new SelectingObjects(cluster.budgets)
  const all = new SelectedPods(cluster.pods)
  const under = Map.groupBy(moving.filter(isCounted), (pod) => budgets.of(pod).map(refKey).toSorted().join(' and '))
  const byKey = new Map(cluster.budgets.map((budget) => [refKey(budget), budget]))
  return [...under].flatMap(([names, pods]) => {
    if (names === '') return []
    const budget = byKey.get(names)
    if (budget === undefined) return [withLadder(s, pods, twoBudgets(names, pods, s))]
    const own = pods.filter((pod) => !isGated(pod))
    if (own.length === 0) return []
    const selected = all.by(budget.selector, [budget.namespace])
    const found = budgetFindings({ budget, pods: own, needs: needsOf(budget, selected, s), s })
    return found.map((finding) => {
      if (finding.severity === 'block') return withLadder(s, own, finding)
      const isMeant =
        finding.code === 'BudgetOfOperator' && own.every((pod) => blockedSpec(pod, s.spec.drain) !== undefined)
      return isMeant ? { ...finding, severity: 'warning' as const } : finding
    })
  })
}

/** The eviction handler asks no budget for a pod that serves nothing (eviction.go, canIgnorePDB). */
const isCounted = ({ phase, terminating }: Pod): boolean => phase !== 'Pending' && !terminating

function needsOf(budget: DisruptionBudget, selected: readonly Pod[], { cluster }: PlanSnapshot): BudgetNeeds {
  const owners = new Set(selected.flatMap((pod) => workloadOf(pod, cluster.workloads) ?? []))
  const replicas = [...owners].reduce((sum, { desired }) => sum + desired, 0)
  return budgetNeeds(budget, { pods: selected.length, replicas })
}

function twoBudgets(names: string, pods: readonly Pod[], { cluster }: PlanSnapshot): PlanFinding {
  const { words, isOne, where } = gatherPods(pods, cluster.workloads)
  return {
    severity: 'block',
    code: 'TwoBudgets',
    ...where,
    text: `${words} ${isOne ? 'is' : 'are'} under budgets ${names}, which eviction does not support`,
    fix: 'let only one budget select each pod',
  }
}

interface OfBudget {
  readonly budget: DisruptionBudget
  readonly pods: readonly Pod[]
  readonly needs: BudgetNeeds
  readonly s: PlanSnapshot
}

function budgetFindings(of: OfBudget): readonly PlanFinding[] {
  const { matchLabels, matchExpressions } = of.budget.selector
  const isOfAll = Object.keys(matchLabels).length + matchExpressions.length === 0
  const shut = broken(of) ?? never(of) ?? exhausted(of) ?? several(of)
  return [...(isOfAll ? [selectsAll(of.budget)] : []), ...(shut === undefined ? [] : [shut])]
}

const selectsAll = (budget: DisruptionBudget): PlanFinding => ({
  severity: 'warning',
  code: 'BudgetSelectsAll',
  text: `budget ${refKey(budget)} selects every pod of namespace ${budget.namespace}, because its selector is empty`,
  fix: 'give its selector the labels of one workload',
})

const edit = ({ namespace, name }: DisruptionBudget): Command =>
  kubectl`-n ${namespace} edit poddisruptionbudget ${name}`

function broken({ budget, pods, s }: OfBudget): PlanFinding | undefined {
  if (!budget.syncFailed) return undefined
  const { words, where } = gatherPods(pods, s.cluster.workloads)
  return {
    severity: 'block',
    code: 'BudgetBroken',
    ...where,
    text: `${words} cannot be evicted: budget ${refKey(budget)} cannot be computed (condition SyncFailed)`,
    fix: say`select only pods of workloads that have replicas, or write minAvailable as a number: ${edit(budget)}`,
  }
}

/** Pods whose eviction takes one of those that the budget allows. */
const held = ({ budget, pods }: OfBudget): readonly Pod[] =>
  letsUnreadyGo(budget) ? pods.filter(({ ready }) => ready) : pods

function never(of: OfBudget): PlanFinding | undefined {
  const { budget, s } = of
  const { expectedPods, desiredHealthy } = of.needs
  const pods = held(of)
  if (desiredHealthy < expectedPods || budget.disruptionsAllowed > 0 || pods.length === 0) return undefined
  const { words, where } = gatherPods(pods, s.cluster.workloads)
  if (pods.every((pod) => operatorOf(pod, budget) !== undefined)) {
    return {
      severity: 'hold',
      code: 'BudgetOfOperator',
      ...where,
      text: `${words} cannot be evicted as it stands now: budget ${refKey(budget)} keeps ${desiredHealthy} of ${expectedPods} pods, and the operator of ${operatorsOf(of)} may open it`,
      fix: 'let the operator move the data, or make it whole; the budget protects it, so do not edit it. An entry in drain.blocked with wait says how long the roll may wait',
    }
  }
  const asked =
    budget.maxUnavailable === undefined
      ? `minAvailable: ${budget.minAvailable ?? 0}`
      : `maxUnavailable: ${budget.maxUnavailable}`
  // The disruption controller counts replicas of controllers (getExpectedScale), and these pods have none.
  const kept =
    expectedPods === 0
      ? 'is a share of none: its pods have no controller'
      : `keeps ${desiredHealthy} of ${expectedPods} pods`
  return {
    severity: 'block',
    code: 'BudgetNever',
    ...where,
    text: `${words} can never be evicted: budget ${refKey(budget)} allows no eviction at all, since ${asked} ${kept}`,
    fix:
      expectedPods === 0
        ? say`write minAvailable as a number: ${edit(budget)}`
        : expectedPods > 1 || !letsOneMoreHelp({ ...budget, expectedPods })
          ? say`set maxUnavailable: 1: ${edit(budget)}`
          : say`add a replica, or set maxUnavailable: 1: ${edit(budget)}`,
  }
}

const operatorsOf = ({ pods, budget }: OfBudget): string => {
  const operators = pods.flatMap((pod) => operatorOf(pod, budget) ?? [])
  return firstOf([...new Set(operators.map(({ kind, name }) => `${kind} ${name}`))])
}

function exhausted(of: OfBudget): PlanFinding | undefined {
  const { budget, s } = of
  const pods = held(of)
  if (budget.disruptionsAllowed > 0 || pods.length === 0) return undefined
  const { words, where } = gatherPods(pods, s.cluster.workloads)
  const unready = pods.filter(({ ready }) => !ready)
  const text = `${words} cannot be evicted now: budget ${refKey(budget)} needs ${budget.desiredHealthy} healthy pods and has ${budget.currentHealthy} of ${budget.expectedPods}`
  if (unready.length === 0 || budget.currentHealthy >= budget.desiredHealthy) {
    const fix = say`wait until its pods are Ready: ${kubectl`-n ${budget.namespace} get pods`}`
    return { severity: 'hold', code: 'BudgetExhausted', ...where, text, fix }
  }
  return {
    severity: 'hold',
    code: 'BudgetUnhealthy',
    ...where,
    text: `${text}, and keeps ${unready.length} that ${unready.length === 1 ? 'is' : 'are'} not Ready as well`,
    fix: say`make ${unready.length === 1 ? 'it' : 'them'} Ready, or set unhealthyPodEvictionPolicy: AlwaysAllow: ${edit(budget)}`,
  }
}

/** The node has more pods of the budget than it ever allows to leave at once: they cannot all move at the same time. */
function several({ budget, pods, needs }: OfBudget): PlanFinding | undefined {
  const atATime = needs.expectedPods - needs.desiredHealthy
  const ofNodes = [...Map.groupBy(pods, ({ nodeName = '' }) => nodeName)].filter(([, here]) => here.length > atATime)
  const [node, most = []] = ofNodes.toSorted(([, one], [, other]) => other.length - one.length)[0] ?? []
  if (node === undefined || atATime < 1) return undefined
  return {
    severity: 'warning',
    code: 'BudgetSeveral',
    ...(ofNodes.length > 1 ? { nodes: ofNodes.map(([name]) => name) } : { node }),
    text: `budget ${refKey(budget)} lets ${atATime} of its pods go at a time, and ${node} has ${most.length}, so they move ${atATime === 1 ? 'one after the other' : `at most ${atATime} at a time`}`,
    fix: 'spread them over more nodes (topologySpreadConstraints), or raise maxUnavailable',
  }
}
