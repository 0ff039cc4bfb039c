import type { Pod } from '../../../ground/model/pod.ts'
import type { Workload } from '../../../ground/model/workload.ts'

/**
 * The workload that will replace a pod: its controller, or that controller's controller (ReplicaSet → Deployment). No workload
 * replaces a released pod, even before its ReplicaSet shows that.
 */
export function workloadOf(pod: Pod, workloads: readonly Workload[]): Workload | undefined {
  if (pod.polite !== undefined) return undefined
  const byUid = indexOf(workloads)
  const direct = byUid.get(pod.controller?.uid)
  if (direct?.controller === undefined) return direct
  return byUid.get(direct.controller.uid) ?? direct
}

/** The lists of a snapshot never change, and each pass asks for thousands of pods: a list is indexed once. */
const INDEXES = new WeakMap<readonly Workload[], ReadonlyMap<string | undefined, Workload>>()

function indexOf(workloads: readonly Workload[]): ReadonlyMap<string | undefined, Workload> {
  const known = INDEXES.get(workloads)
  if (known !== undefined) return known
  const byUid = new Map<string | undefined, Workload>()
  for (const workload of workloads) if (!byUid.has(workload.uid)) byUid.set(workload.uid, workload)
  INDEXES.set(workloads, byUid)
  return byUid
}
