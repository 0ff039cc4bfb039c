import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import type { Pod } from '../../../ground/model/pod.ts'
import { blockedSpec } from '../drain/blocked-ladder.ts'
import { classifyPod } from '../drain/classify-pod.ts'
import { whyNotPolite } from '../drain/may-be-polite.ts'
import type { PlanFacts } from './plan-facts.ts'
import { budgetsSpare } from './polite-findings.ts'

type Way = 'surge' | 'ask' | 'delete'

/** The first rung of each pod that may end what the finding is about, and whether an answer is needed for one. */
const WAYS: Readonly<Record<Way, Pick<PlanFinding, 'severity'> & { readonly text: string }>> = {
  surge: { severity: 'warning', text: 'a replacement is started first' },
  delete: { severity: 'warning', text: 'in the end such a pod is deleted' },
  ask: { severity: 'hold', text: 'the roll holds for an answer' },
}

/** What stands against a pod is no error where `drain.blocked` has a way for each of them. */
export function withLadder(facts: PlanFacts, pods: readonly Pod[], finding: PlanFinding): PlanFinding {
  const ways = new Set(pods.map((pod) => wayOf(facts, pod)))
  if (ways.has(undefined)) return finding
  const known = (['ask', 'delete', 'surge'] as const).filter((way) => ways.has(way))
  const [worst] = known
  if (worst === undefined) return finding
  const text = `${finding.text}; by drain.blocked ${known.map((way) => WAYS[way].text).join(', or ')}`
  return { ...finding, severity: WAYS[worst].severity, text }
}

function wayOf(facts: PlanFacts, pod: Pod): Way | undefined {
  const spec = blockedSpec(pod, facts.spec.drain)
  if (spec === undefined) return undefined
  if (spec.surgeMs !== undefined && isReplaceable(facts, pod)) return 'surge'
  if (spec.askMs !== undefined) return 'ask'
  return spec.delete ? 'delete' : undefined
}

function isReplaceable(facts: PlanFacts, pod: Pod): boolean {
  const { cluster, services, spec } = facts
  return (
    pod.ready &&
    classifyPod(pod, spec.drain).kind === 'evict' &&
    whyNotPolite({ ...cluster, services }, pod) === undefined &&
    budgetsSpare(facts, pod)
  )
}
