import type { Pod } from '../../../ground/model/pod.ts'
import { workloadKey } from '../../../ground/model/workload.ts'
import type { NodeSnapshot } from '../node-snapshot.ts'
import { podsHere } from '../pods-here.ts'
import { classifyPod, type DrainStage } from './classify-pod.ts'
import { workloadOf } from './workload-of.ts'

interface DrainState {
  /** Pods still to leave, by stage, in the order of their names. */
  readonly left: Readonly<Record<DrainStage, readonly Pod[]>>
  /** Pods that may not be evicted as the config stands. */
  readonly refused: readonly Pod[]
  /** Pods whose controller put them back here: reported, never evicted twice. */
  readonly putBack: readonly Pod[]
}

export function drainState(s: NodeSnapshot): DrainState {
  const here = podsHere(s)
  const putBack = here.filter((pod) => isPutBack(s, pod))
  const candidates = here.filter((pod) => !putBack.includes(pod))
  const inStage = (stage: DrainStage): readonly Pod[] =>
    candidates.filter((pod) => {
      const verdict = classifyPod(pod, s.spec.drain)
      return verdict.kind === 'evict' && verdict.stage === stage
    })
  return {
    left: { 1: inStage(1), 2: inStage(2), 3: inStage(3), 4: inStage(4) },
    refused: candidates.filter((pod) => classifyPod(pod, s.spec.drain).kind === 'refused'),
    putBack,
  }
}

/** Another pod of a workload of which we already evicted one from this cordoned node: the controller insists. */
function isPutBack(s: NodeSnapshot, pod: Pod): boolean {
  if (s.evidence.evicted[pod.uid] !== undefined || s.evidence.evictions[pod.uid] !== undefined) return false
  if (classifyPod(pod, s.spec.drain).kind !== 'evict') return false
  const workload = workloadOf(pod, s.cluster.workloads)
  if (workload === undefined || s.evidence.firstSeen.includes(pod.uid)) return false
  return Object.values(s.evidence.evicted).some((evicted) => evicted.workload === workloadKey(workload))
}
