import { selectorMatches } from '../../../model/label-selector.ts'
import { refKey } from '../../../model/object-ref.ts'
import { isFinished, type Pod } from '../../../model/pod.ts'
import type { PlanFinding } from '../../../model/roll-plan.ts'
import { workloadKey } from '../../../model/workload.ts'
import { neverAllows } from '../drain/budget-reasons.ts'
import { classifyPod } from '../drain/classify-pod.ts'
import { guardOf } from '../drain/guard-of.ts'
import { workloadOf } from '../drain/workload-of.ts'
import type { PlanFacts } from './plan-facts.ts'
import { leavesPolitely } from './polite-findings.ts'

/** What stands against moving one pod. */
export function podFindings(facts: PlanFacts, pod: Pod): readonly PlanFinding[] {
  const verdict = classifyPod(pod, facts.spec.drain)
  if (verdict.kind === 'refused') return [refused(pod, verdict.why)]
  if (verdict.kind === 'stays' || isFinished(pod)) return []
  // The budget of a NodeGuard is shut until the drain has come to its pod, and the pod has no replica to stand in for it.
  if (guardOf(pod) !== undefined) return budgets(facts, pod).filter(({ code }) => code === 'TwoBudgets')
  return leavesPolitely(facts, pod) ? [] : [...budgets(facts, pod), ...single(facts, pod)]
}

function refused(pod: Pod, why: 'emptyDir' | 'unmanaged'): PlanFinding {
  const node = pod.nodeName === undefined ? {} : { node: pod.nodeName }
  return why === 'unmanaged'
    ? {
        severity: 'error',
        code: 'PodUnmanaged',
        ...node,
        text: `${refKey(pod)} has no controller that would replace it`,
        fix: 'set drain.deleteUnmanaged: true to delete such pods',
      }
    : {
        severity: 'error',
        code: 'PodEmptyDir',
        ...node,
        text: `${refKey(pod)} keeps data in an emptyDir, which is lost when it moves`,
        fix: 'set drain.deleteEmptyDirData: true to delete such data',
      }
}

function budgets({ cluster }: PlanFacts, pod: Pod): readonly PlanFinding[] {
  const mine = cluster.budgets.filter(
    (budget) => budget.namespace === pod.namespace && selectorMatches(budget.selector, pod.labels),
  )
  const node = pod.nodeName === undefined ? {} : { node: pod.nodeName }
  if (mine.length > 1) {
    const names = mine.map(refKey).join(' and ')
    return [
      {
        severity: 'hold',
        code: 'TwoBudgets',
        ...node,
        text: `${refKey(pod)} is under budgets ${names}, which eviction does not support`,
        fix: 'let only one budget select each pod',
      },
    ]
  }
  return mine
    .filter((budget) => budget.disruptionsAllowed === 0)
    .map((budget) => ({
      severity: 'hold',
      code: neverAllows(budget) ? 'BudgetNever' : 'BudgetExhausted',
      ...node,
      text: neverAllows(budget)
        ? `${refKey(pod)} can never be evicted: budget ${refKey(budget)} allows no eviction at all`
        : `${refKey(pod)} cannot be evicted now: budget ${refKey(budget)} needs ${budget.desiredHealthy} healthy pods and has ${budget.currentHealthy} of ${budget.expectedPods}`,
    }))
}

function single({ cluster }: PlanFacts, pod: Pod): readonly PlanFinding[] {
  const workload = workloadOf(pod, cluster.workloads)
  if (workload === undefined || workload.desired !== 1) return []
  const node = pod.nodeName === undefined ? {} : { node: pod.nodeName }
  return [
    {
      severity: 'warning',
      code: 'SingleReplica',
      ...node,
      text: `${workloadKey(workload)} has 1 replica, which is away while it moves`,
    },
  ]
}
