import type { Pod } from '../../../model/pod.ts'
import type { Workload } from '../../../model/workload.ts'

/** The workload that will replace a pod: its controller, or that one's own controller (ReplicaSet → Deployment). */
export function workloadOf(pod: Pod, workloads: readonly Workload[]): Workload | undefined {
  const direct = workloads.find((workload) => workload.uid === pod.controller?.uid)
  if (direct?.controller === undefined) return direct
  return workloads.find((workload) => workload.uid === direct.controller?.uid) ?? direct
}
