import type { Pod } from '../../../ground/model/pod.ts'
import { workloadKey } from '../../../ground/model/workload.ts'
import type { NodeSnapshot } from '../node-snapshot.ts'
import { podsHere } from '../pods-here.ts'
import { classifyPod, type DrainStage } from './classify-pod.ts'
import { replacerOf } from './replacer-of.ts'

interface DrainState {
  /** Pods that still have to leave, by stage, in the order of their names. */
  readonly left: Readonly<Record<DrainStage, readonly Pod[]>>
  /** Pods that may not be evicted by this roll file. */
  readonly refused: readonly Pod[]
  /** Pods that their controller put back here: reported, never evicted twice. */
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

/** Another pod of a workload that already had a pod evicted from this cordoned node: the controller puts it back each time. */
function isPutBack(s: NodeSnapshot, pod: Pod): boolean {
  if (s.evidence.evicted[pod.uid] !== undefined || s.evidence.evictions[pod.uid] !== undefined) return false
  if (classifyPod(pod, s.spec.drain).kind !== 'evict') return false
  const workload = replacerOf(pod, s.cluster.workloads)
  if (workload === undefined || s.evidence.firstSeen.includes(pod.uid)) return false
  return Object.values(s.evidence.evicted).some((evicted) => evicted.workload === workloadKey(workload))
}
