import type { Pod } from '../../../ground/model/pod.ts'
import { workloadKey } from '../../../ground/model/workload.ts'
import { type NodeSnapshot, ownRecord } from '../node-snapshot.ts'
import { podsHere } from '../pods-here.ts'
import { classifyPod } from './classify-pod.ts'
import { guardOf } from './guard-of.ts'
import { type Replacer, replacerOf } from './replacer-of.ts'

/**
 * Pods that their controllers put on the cordoned node again after it had lost one of theirs: reported, never evicted twice, and gone with
 * the reboot. None where the node is not to be rebooted any more, or has been.
 */
export function podsPutBack(s: NodeSnapshot): readonly Pod[] {
  const known = PUT_BACK.get(s)
  if (known !== undefined) return known
  const found = putBackOf(s)
  PUT_BACK.set(s, found)
  return found
}

/** By the snapshot, which never changes: each pod and each workload of a pass asks. */
const PUT_BACK = new WeakMap<NodeSnapshot, readonly Pod[]>()

function putBackOf(s: NodeSnapshot): readonly Pod[] {
  const { unschedulable, bootId } = s.current.node
  if (!unschedulable || s.run.verdict !== undefined || bootId !== (ownRecord(s)?.bootId ?? bootId)) return []
  return podsHere(s).filter((pod) => isPutBack(s, pod))
}

function isPutBack(s: NodeSnapshot, pod: Pod): boolean {
  const { evicted, evictions, firstSeen } = s.evidence
  if (evicted[pod.uid] !== undefined || evictions[pod.uid] !== undefined || firstSeen.includes(pod.uid)) return false
  if (pod.polite !== undefined || guardOf(pod) !== undefined || classifyPod(pod, s.spec.drain).kind !== 'evict')
    return false
  const replacer = replacerOf(pod, s.cluster.workloads)
  return replacer === undefined ? hasLostOne(s, pod) : hasLost(s, replacer)
}

/** Also one that the drain let go, and whose replacement this may be. */
function hasLost(s: NodeSnapshot, replacer: Replacer): boolean {
  const key = workloadKey(replacer)
  return (
    Object.values(s.evidence.evicted).some(({ workload }) => workload === key) ||
    podsHere(s).some(({ polite }) => polite?.workload === key)
  )
}

/** By its controller alone, as for a Job: nothing waits for its pods. */
const hasLostOne = (s: NodeSnapshot, { controller }: Pod): boolean =>
  controller !== undefined && Object.values(s.evidence.evicted).some((lost) => lost.controller === controller.uid)
