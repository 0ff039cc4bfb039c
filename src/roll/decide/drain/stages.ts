import type { Pod } from '../../../ground/model/pod.ts'
import type { NodeSnapshot } from '../node-snapshot.ts'
import { podsHere } from '../pods-here.ts'
import { classifyPod, type DrainStage } from './classify-pod.ts'
import { podsPutBack } from './put-back.ts'

interface DrainState {
  /** Pods that still have to leave, by stage, in the order of their names. */
  readonly left: Readonly<Record<DrainStage, readonly Pod[]>>
  /** Pods that may not be evicted by this roll file. */
  readonly refused: readonly Pod[]
}

export function drainState(s: NodeSnapshot): DrainState {
  const here = podsHere(s)
  const putBack = podsPutBack(s)
  const candidates = here.filter((pod) => !putBack.includes(pod))
  const inStage = (stage: DrainStage): readonly Pod[] =>
    candidates.filter((pod) => {
      const verdict = classifyPod(pod, s.spec.drain)
      return verdict.kind === 'evict' && verdict.stage === stage
    })
  return {
    left: { 1: inStage(1), 2: inStage(2), 3: inStage(3), 4: inStage(4) },
    refused: candidates.filter((pod) => classifyPod(pod, s.spec.drain).kind === 'refused'),
  }
}
