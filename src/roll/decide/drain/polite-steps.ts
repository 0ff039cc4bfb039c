import { formatDuration } from '../../../ground/model/duration.ts'
import { refKey } from '../../../ground/model/object-ref.ts'
import type { Pod } from '../../../ground/model/pod.ts'
import { HASH_LABEL, LEAVING_VALUE, type PoliteMark } from '../../../ground/model/polite-mark.ts'
import { present } from '../../../ground/model/present.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import type { EndpointSlice } from '../../../ground/model/service.ts'
import { type Workload, workloadKey } from '../../../ground/model/workload.ts'
import type { Action } from '../../../service/model/action.ts'
import type { Evidence } from '../evidence.ts'
import type { RecordedSnapshot } from '../node-snapshot.ts'
import { podsHere } from '../pods-here.ts'
import { ladderOf } from './blocked-ladder.ts'
import { evictionRefusal } from './budget-reasons.ts'
import {
  foreignSlice,
  guardingBudgets,
  politeSpec,
  selectingServices,
  whyNotPolite,
  withdrawnLabels,
} from './may-be-polite.ts'
import { isGoing } from './pod-ending.ts'
import { isLeaving, readyBeyond } from './ready-pods.ts'
import { notReplaced, replaced } from './replaced.ts'
import { workloadOf } from './workload-of.ts'

/** A pod that its ReplicaSet was made to release, and that still exists. */
export type ReleasedPod = Pod & { readonly polite: PoliteMark }

export const isReleased = (pod: Pod): pod is ReleasedPod => pod.polite !== undefined

/** The default, where the file does not choose the pod any more, or has it replaced first since it may not leave. */
const LEAVE_AFTER_MS = 6_000

/** How many failures in a row are ignored. */
const FAILURES_MAX = 3

export type PoliteAnswer =
  | { readonly kind: 'act'; readonly action: Action }
  /** No Service sends to the pod: it may be evicted. */
  | { readonly kind: 'leave' }
  | { readonly kind: 'wait'; readonly reason: Reason }
  /** The pod cannot go on. If the node is put back, its labels are restored. */
  | { readonly kind: 'blocked'; readonly reason: Reason }

/**
 * The first step of a pod that can leave politely, and that the file chooses or that may not leave and is replaced first;
 * undefined: the pod is evicted at once.
 */
export function released(s: RecordedSnapshot, pod: Pod): Action | undefined {
  const { services } = s.cluster
  const workload = workloadOf(pod, s.cluster.workloads)
  if (services === undefined || workload === undefined || !pod.ready) return undefined
  if (politeSpec(pod, s.spec.drain) === undefined && ladderOf(s, pod)?.rung !== 'surge') return undefined
  if (whyNotPolite({ ...s.cluster, services }, pod) !== undefined) return undefined
  const node = s.current.node.name
  const mark: PoliteMark = {
    version: 1,
    run: s.run.id,
    node,
    workload: workloadKey(workload),
    ...present({ ready: readyBeyond(s, workload, s.record) }),
    labels: pod.labels,
  }
  return { kind: 'releasePod', ...relabel(s, pod, { [HASH_LABEL]: LEAVING_VALUE }), mark }
}

/** The next step of a released pod, judged anew each time: replaced, out of its Services, for long enough, gone. */
export function politeStep(s: RecordedSnapshot, pod: ReleasedPod): PoliteAnswer {
  const object = refKey(pod)
  if (pod.terminating || isLeaving(s, pod) || isWritten(s, pod)) return wait(isGoing(s, pod))
  const { services } = s.cluster
  // The file chooses no pod any more, and Services are not followed.
  if (services === undefined) return act(giveBack(s, pod))
  if (selectingServices(services, pod.namespace, pod.labels).length > 0) return withdrawal(s, pod, services)
  const gone = s.evidence.endpointGoneSince?.[pod.uid]
  const foreign = foreignSlice({ ...s.cluster, services }, pod)
  if (foreign !== undefined) return blocked(endpointForeign(pod, foreign))
  if (gone === undefined) return wait(endpointStays(s, pod))
  const forMs = leaveAfterMs(s, pod)
  if (s.now - gone < forMs) {
    const text = `${object} is no endpoint any more, and serves on for ${formatDuration(forMs)}`
    return wait({ code: 'PoliteWait', object, text })
  }
  return refused(s, pod, 'evict') ?? { kind: 'leave' }
}

/** Labels of the pod were written, and the watch still shows the old ones. */
export const isWritten = ({ evidence }: RecordedSnapshot, { uid, resourceVersion }: Pod): boolean =>
  evidence.relabelled?.[uid]?.includes(resourceVersion) === true

/** Only while another pod is Ready in its place, and each budget has one to spare. */
function withdrawal(
  s: RecordedSnapshot,
  pod: ReleasedPod,
  services: NonNullable<RecordedSnapshot['cluster']['services']>,
): PoliteAnswer {
  const workload = workloadLeft(s, pod)
  const lacking = workload && notReplaced(s, workload, pod)
  if (lacking !== undefined) {
    const text = `${refKey(pod)} stays and serves: ${lacking.reason.text}`
    const isInTime = lacking.kind === 'waiting' && !lacking.isRefused
    return blocked({ ...lacking.reason, text, ...(isInTime ? {} : { code: 'PoliteNotReplaced' }) })
  }
  const short = guardingBudgets(s.cluster.budgets, pod).find(
    (budget) => budget.syncFailed || budget.currentHealthy <= budget.desiredHealthy,
  )
  if (short !== undefined && pod.ready) {
    const refusal = { budget: short.name, need: short.desiredHealthy, have: short.currentHealthy }
    return blocked(evictionRefusal(pod, { kind: 'budget', refusal }, [short]))
  }
  const withdraw = { kind: 'withdrawPod', ...relabel(s, pod, withdrawnLabels(services, pod)) } as const
  return refused(s, pod, 'withdrawPod') ?? act(withdraw)
}

/** Absent: no replacement would ever come. */
const workloadLeft = ({ cluster }: RecordedSnapshot, { polite }: ReleasedPod): Workload | undefined =>
  cluster.workloads.find((each) => workloadKey(each) === polite.workload)

export function isReplaced(s: RecordedSnapshot, pod: ReleasedPod): boolean {
  const workload = workloadLeft(s, pod)
  return workload === undefined || replaced(s, workload).kind === 'back'
}

/** Restores each label that still has the value that the polite drain wrote. */
export function giveBack(s: RecordedSnapshot, pod: ReleasedPod): Action {
  const ours = Object.entries(pod.polite.labels).filter(([key]) => pod.labels[key] === LEAVING_VALUE)
  return { kind: 'giveBackPod', ...relabel(s, pod, Object.fromEntries(ours)) }
}

/** The last try failed, and the next one is not due yet. */
export function refused(s: RecordedSnapshot, pod: Pod, kind: 'evict' | 'releasePod' | 'withdrawPod') {
  const retry = s.evidence.retries[`${kind} ${pod.uid}`]
  if (retry === undefined || retry.notBefore <= s.now) return undefined
  const object = refKey(pod)
  const answer = s.evidence.evictions[pod.uid] ?? { kind: 'passing', text: retry.error }
  const reason: Reason =
    kind === 'evict'
      ? evictionRefusal(pod, answer, s.cluster.budgets)
      : { code: 'PoliteRefused', object, text: `the labels of ${object} cannot be changed: ${retry.error}` }
  return { kind: retry.failures < FAILURES_MAX ? 'wait' : 'blocked', reason } as const
}

/** Since when released pods of this node are no endpoints any more, as this process has seen it. */
export function endpointsGone(s: RecordedSnapshot): Pick<Evidence, 'endpointGoneSince'> {
  const pods = podsHere(s).filter(isReleased)
  if (pods.length === 0) return s.evidence.endpointGoneSince === undefined ? {} : { endpointGoneSince: undefined }
  const gone = pods.filter((pod) => isNoEndpoint(s, pod))
  const since = gone.map((pod) => [pod.uid, s.evidence.endpointGoneSince?.[pod.uid] ?? s.now] as const)
  return { endpointGoneSince: Object.fromEntries(since) }
}

const isNoEndpoint = ({ cluster }: RecordedSnapshot, { namespace, labels, uid }: Pod): boolean =>
  cluster.services !== undefined &&
  cluster.unlisted === undefined &&
  selectingServices(cluster.services, namespace, labels).length === 0 &&
  !cluster.slices.some(({ endpoints }) => endpoints.some(({ podUid }) => podUid === uid))

function endpointStays({ cluster }: RecordedSnapshot, pod: Pod): Reason {
  const slice = cluster.slices.find(({ endpoints }) => endpoints.some(({ podUid }) => podUid === pod.uid))
  const where = slice === undefined ? '' : ` in EndpointSlice ${refKey(slice)}`
  const object = refKey(pod)
  return { code: 'EndpointStays', object, text: `${object} is still an endpoint${where}, though no Service selects it` }
}

function endpointForeign(pod: Pod, slice: EndpointSlice): Reason {
  const object = refKey(pod)
  const text = `${object} is an endpoint in EndpointSlice ${refKey(slice)} of Service ${slice.serviceName}, which has no selector: another program sends to it`
  return { code: 'EndpointForeign', object, text }
}

const leaveAfterMs = (s: RecordedSnapshot, pod: Pod): number =>
  politeSpec(pod, s.spec.drain)?.leaveAfterMs ?? LEAVE_AFTER_MS

const relabel = (s: RecordedSnapshot, pod: Pod, labels: Readonly<Record<string, string>>) => ({
  node: s.current.node.name,
  namespace: pod.namespace,
  name: pod.name,
  uid: pod.uid,
  asOf: pod.resourceVersion,
  labels,
})

const act = (action: Action): PoliteAnswer => ({ kind: 'act', action })
const wait = (reason: Reason): PoliteAnswer => ({ kind: 'wait', reason })
const blocked = (reason: Reason): PoliteAnswer => ({ kind: 'blocked', reason })
