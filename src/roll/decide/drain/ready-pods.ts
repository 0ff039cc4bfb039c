import { isAway } from '../../../ground/model/eviction.ts'
import type { Pod } from '../../../ground/model/pod.ts'
import { type Workload, workloadKey } from '../../../ground/model/workload.ts'
import type { NodeRecord } from '../../../service/model/node-record.ts'
import type { Evidence } from '../evidence.ts'
import type { NodeSnapshot } from '../node-snapshot.ts'
import type { ClusterReading, RunSnapshot } from '../snapshot.ts'
import { type Replacer, replacerOf } from './replacer-of.ts'

/** The pods of a workload, in the order of the snapshot. */
export const podsOf = (
  { cluster }: { readonly cluster: Pick<ClusterReading, 'pods' | 'workloads'> },
  { uid }: Pick<Replacer, 'uid'>,
): readonly Pod[] => podsByReplacer(cluster.pods, cluster.workloads).get(uid) ?? []

interface Grouped {
  readonly workloads: readonly Workload[]
  readonly byUid: ReadonlyMap<string | undefined, readonly Pod[]>
}

/** The pods by workload, for a list of pods; valid for the list of workloads that it was made from. */
const GROUPED = new WeakMap<readonly Pod[], Grouped>()

function podsByReplacer(pods: readonly Pod[], workloads: readonly Workload[]): Grouped['byUid'] {
  const known = GROUPED.get(pods)
  if (known?.workloads === workloads) return known.byUid
  const byUid = Map.groupBy(pods, (pod) => replacerOf(pod, workloads)?.uid)
  GROUPED.set(pods, { workloads, byUid })
  return byUid
}

/** Counted from the pods. The workload's status is late after an eviction, and would let a second pod go too early. */
export function readyPods(s: NodeSnapshot, workload: Pick<Replacer, 'uid'>): readonly Pod[] {
  const pods = podsOf(s, workload)
  const { evictions } = s.evidence
  const { leaving } = s.run
  const known = READY.get(pods)
  if (known?.evictions === evictions && known.leaving === leaving) return known.ready
  const ready = pods.filter((pod) => pod.ready && !pod.terminating && !isLeaving(s, pod))
  READY.set(pods, { evictions, leaving, ready })
  return ready
}

/** How many are ready, where that is more than was recorded: a workload may have been starting then. */
export function readyBeyond(
  s: NodeSnapshot,
  replacer: Replacer,
  record: Pick<NodeRecord, 'workloads'> | undefined,
): number | undefined {
  const ready = readyPods(s, replacer).length
  return ready > (record?.workloads[workloadKey(replacer)] ?? 0) ? ready : undefined
}

interface Ready {
  readonly evictions: Evidence['evictions']
  readonly leaving: RunSnapshot['leaving']
  readonly ready: readonly Pod[]
}

/** By the pods of a workload, which several steps of a pass count; valid for the evictions that it was made from. */
const READY = new WeakMap<readonly Pod[], Ready>()

/** Its eviction was accepted, or any lane is asking for it: a watch may not show that yet. */
export function isLeaving(s: NodeSnapshot, pod: Pod): boolean {
  const answer = s.evidence.evictions[pod.uid]
  return (answer !== undefined && isAway(answer)) || s.run.leaving?.has(pod.uid) === true
}
