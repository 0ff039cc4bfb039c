import type { Pod } from '../../../ground/model/pod.ts'
import type { Workload } from '../../../ground/model/workload.ts'

/**
 * The workload that will replace a pod: its controller, or that one's own controller (ReplicaSet → Deployment). None replaces one
 * that was let go, which its ReplicaSet may not have heard yet.
 */
export function workloadOf(pod: Pod, workloads: readonly Workload[]): Workload | undefined {
  if (pod.polite !== undefined) return undefined
  const byUid = indexOf(workloads)
  const direct = byUid.get(pod.controller?.uid)
  if (direct?.controller === undefined) return direct
  return byUid.get(direct.controller.uid) ?? direct
}

/** The lists of a snapshot never change, and each pass asks for thousands of pods: a list is gone through once. */
const INDEXES = new WeakMap<readonly Workload[], ReadonlyMap<string | undefined, Workload>>()

function indexOf(workloads: readonly Workload[]): ReadonlyMap<string | undefined, Workload> {
  const known = INDEXES.get(workloads)
  if (known !== undefined) return known
  const byUid = new Map<string | undefined, Workload>()
  for (const workload of workloads) if (!byUid.has(workload.uid)) byUid.set(workload.uid, workload)
  INDEXES.set(workloads, byUid)
  return byUid
}
