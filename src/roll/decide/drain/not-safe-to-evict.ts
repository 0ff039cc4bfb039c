import { refKey } from '../../../ground/model/object-ref.ts'
import { isFinished, NOT_SAFE_TO_EVICT, type Pod } from '../../../ground/model/pod.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { kubectl, say } from '../../../ground/model/sentence.ts'
import type { RollSpec } from '../../model/roll-spec.ts'
import type { NodeSnapshot } from '../node-snapshot.ts'
import { podsHere } from '../pods-here.ts'
import { classifyPod } from './classify-pod.ts'

/** A drain would move the pod, and its annotation forbids to evict it. A pod that is being deleted does not matter. */
export const isNotSafeToEvict = (pod: Pod, drain: RollSpec['drain']): boolean =>
  pod.notSafeToEvict !== undefined && !isFinished(pod) && !pod.terminating && classifyPod(pod, drain).kind !== 'stays'

/** Checked before a node is begun, where the file asks for it. After the cordon no such pod can come. */
export function notSafeToEvict(s: NodeSnapshot): readonly Reason[] {
  if (s.spec.drain.safeToEvict !== 'hold') return []
  return podsHere(s)
    .filter((pod) => isNotSafeToEvict(pod, s.spec.drain) && pod.uid !== s.run.ownPod?.uid)
    .map((pod) => ({
      code: 'PodNotSafeToEvict',
      object: refKey(pod),
      text: `${refKey(pod)} says that it is not to be evicted (${notSafeMarks(pod).join(', ')}), and runs on ${s.current.node.name}`,
      next: say`let it end, or: ${kubectl`-n ${pod.namespace} annotate pod ${pod.name} ${(pod.notSafeToEvict ?? []).map((key) => `${key}-`)}`}`,
    }))
}

/** `KEY: "VALUE"` of each annotation. */
export const notSafeMarks = ({ notSafeToEvict = [] }: Pod): readonly string[] =>
  notSafeToEvict.map((key) => `${key}: "${NOT_SAFE_TO_EVICT[key] ?? ''}"`)
