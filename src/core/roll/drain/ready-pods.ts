import type { Pod } from '../../../model/pod.ts'
import type { Workload } from '../../../model/workload.ts'
import type { NodeSnapshot } from '../node-snapshot.ts'
import { workloadOf } from './workload-of.ts'

export const podsOf = (s: NodeSnapshot, workload: Workload): readonly Pod[] =>
  s.cluster.pods.filter((pod) => workloadOf(pod, s.cluster.workloads)?.uid === workload.uid)

/**
 * Counted from the pods, not from the workload's status, which lags behind an eviction for a moment and would let a
 * second pod go too early.
 */
export function readyPods(s: NodeSnapshot, workload: Workload): readonly Pod[] {
  return podsOf(s, workload).filter((pod) => pod.ready && !pod.terminating && !isLeaving(s, pod))
}

/** Its eviction was accepted, though the watch may not have shown it yet. */
export function isLeaving(s: NodeSnapshot, pod: Pod): boolean {
  const answer = s.evidence.evictions[pod.uid]?.kind
  return answer === 'accepted' || answer === 'gone' || answer === 'replaced'
}
