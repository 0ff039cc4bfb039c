import { isFinished, isGoing, isReady, type PodObject } from './pod-object.ts'

interface Removal {
  /**
   * For every ReplicaSet of the same controller, the pods that its selector matches; empty for a ReplicaSet without a
   * controller.
   */
  readonly related: readonly PodObject[]
  readonly nowMs: number
}

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost'
const PHASES: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }

/**
 * The pods of a ReplicaSet that shrinks, in the order of removal (pkg/controller/controller_utils.go, ActivePodsWithRanks;
 * pkg/controller/replicaset/replica_set.go, getPodsRankedByRelatedPodsOnSameNode).
 */
export function removalOrder(pods: readonly PodObject[], { related, nowMs }: Removal): readonly PodObject[] {
  const active = related.filter((pod) => !isFinished(pod) && !isGoing(pod))
  const beside = Map.groupBy(active, ({ spec }) => spec.nodeName ?? '')
  const neighbours = ({ spec }: PodObject): number => beside.get(spec.nodeName ?? '')?.length ?? 0
  return pods.toSorted(
    (a, b) =>
      placed(a) - placed(b) ||
      phase(a) - phase(b) ||
      Number(isReady(a)) - Number(isReady(b)) ||
      cost(a) - cost(b) ||
      neighbours(b) - neighbours(a) ||
      byAge({ a, b, of: readySince, nowMs }) ||
      restarts(b) - restarts(a) ||
      byAge({ a, b, of: ({ metadata }) => Date.parse(metadata.creationTimestamp), nowMs }),
  )
}

const placed = ({ spec }: PodObject): number => ((spec.nodeName ?? '') === '' ? 0 : 1)

const phase = ({ status }: PodObject): number => PHASES[status?.phase ?? ''] ?? 0

/** A value that is no number costs nothing (pkg/apis/core/v1/helper, GetDeletionCostFromPodAnnotations). */
function cost({ metadata }: PodObject): number {
  const written = metadata.annotations?.[DELETION_COST] ?? ''
  const number = /^(?:-\d+|0|[1-9]\d*)$/.test(written) ? Number(written) : 0
  return number >= -(2 ** 31) && number < 2 ** 31 ? number : 0
}

const restarts = ({ status }: PodObject): number =>
  Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount))

/** undefined: the pod is not Ready. NaN: the time was never written. */
function readySince(pod: PodObject): number | undefined {
  if (!isReady(pod)) return undefined
  const at = pod.status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime
  return at === undefined ? Number.NaN : Date.parse(at)
}

interface ByAge {
  readonly a: PodObject
  readonly b: PodObject
  readonly of: (pod: PodObject) => number | undefined
  readonly nowMs: number
}

/**
 * The younger pod comes first. Ages of the same power of two count as equal, and then the uid decides, so that no node is
 * favoured.
 */
function byAge({ a, b, of, nowMs }: ByAge): number {
  const [first, second] = [of(a), of(b)]
  if (first === undefined || second === undefined || first === second) return 0
  if (Number.isNaN(first) || Number.isNaN(second)) return Number(Number.isNaN(second)) - Number(Number.isNaN(first))
  const difference = magnitude(nowMs - first) - magnitude(nowMs - second)
  return difference === 0 ? (a.metadata.uid < b.metadata.uid ? -1 : 1) : difference
}

/** Of nanoseconds, as the controller counts them. */
const magnitude = (ms: number): number => (ms > 0 ? Math.floor(Math.log2(ms * 1e6)) : -1)
