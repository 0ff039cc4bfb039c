import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import type { Pod } from '../../../ground/model/pod.ts'
import { blockedSpec } from '../drain/blocked-ladder.ts'
import { classifyPod } from '../drain/classify-pod.ts'
import { whyNotPolite } from '../drain/may-be-polite.ts'
import type { PlanSnapshot } from './plan-snapshot.ts'
import { budgetsSpare } from './polite-findings.ts'

type Way = 'surge' | 'ask' | 'delete'

/** The severity of a finding by the first rung that may solve it for each pod, and whether a person has to answer. */
const WAYS: Readonly<Record<Way, Pick<PlanFinding, 'severity'> & { readonly text: string }>> = {
  surge: { severity: 'warning', text: 'a replacement is started first' },
  delete: { severity: 'warning', text: 'in the end such a pod is deleted' },
  ask: { severity: 'hold', text: 'the roll holds for an answer' },
}

/** A finding against a pod is no error where `drain.blocked` has a way for each of its pods. */
export function withLadder(s: PlanSnapshot, pods: readonly Pod[], finding: PlanFinding): PlanFinding {
  const ways = new Set(pods.map((pod) => wayOf(s, pod)))
  if (ways.has(undefined)) return finding
  const known = (['ask', 'delete', 'surge'] as const).filter((way) => ways.has(way))
  const [worst] = known
  if (worst === undefined) return finding
  const text = `${finding.text}; by drain.blocked ${known.map((way) => WAYS[way].text).join(', or ')}`
  return { ...finding, severity: WAYS[worst].severity, text }
}

function wayOf(s: PlanSnapshot, pod: Pod): Way | undefined {
  const spec = blockedSpec(pod, s.spec.drain)
  if (spec === undefined) return undefined
  if (spec.surgeMs !== undefined && isReplaceable(s, pod)) return 'surge'
  if (spec.askMs !== undefined) return 'ask'
  return spec.delete ? 'delete' : undefined
}

function isReplaceable(s: PlanSnapshot, pod: Pod): boolean {
  const { cluster, services, spec } = s
  return (
    pod.ready &&
    classifyPod(pod, spec.drain).kind === 'evict' &&
    whyNotPolite({ ...cluster, services }, pod) === undefined &&
    budgetsSpare(s, pod)
  )
}
