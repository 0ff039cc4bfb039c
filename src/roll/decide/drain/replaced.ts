import type { Node } from '../../../ground/model/node.ts'
import { refKey } from '../../../ground/model/object-ref.ts'
import type { Pod, Unschedulable } from '../../../ground/model/pod.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { isTiedToNode } from '../../../ground/model/tied-pod.ts'
import { workloadKey } from '../../../ground/model/workload.ts'
import { type NodeRecord, RECORD_ANNOTATION } from '../../../service/model/node-record.ts'
import { type Parsed, parseNodeRecord } from '../../../service/model/parse-node-record.ts'
import type { RecordedSnapshot } from '../node-snapshot.ts'
import { podsHere } from '../pods-here.ts'
import { podsPutBack } from './put-back.ts'
import { podsOf, readyPods } from './ready-pods.ts'
import type { Replacer } from './replacer-of.ts'

/**
 * Whether a workload has as many ready pods as were recorded. Yes also where its replacement is Pending for a reason that only
 * this node can end: the wait would never end, and the reason is named.
 */
type Replaced =
  | { readonly kind: 'back' }
  /**
   * `cure`: `here`, no other node can ever take it; `unlikely`, none but nodes that are cordoned as well, or that pods keep it from;
   * `room`, the others lack what time may bring, such as room. `waiting`: where another pod waits for it all the same.
   */
  | { readonly kind: 'onlyHere'; readonly cure: Cure; readonly reason: Reason; readonly waiting: Waiting }
  /** All but one serve elsewhere, and that one was put back here: it may go down with the node, and no other one may leave before. */
  | { readonly kind: 'putBack'; readonly reason: Reason }
  | Waiting

/** `isRefused`: more than time is needed, such as a node, a quota or an image. */
interface Waiting {
  readonly kind: 'waiting'
  readonly isRefused: boolean
  readonly reason: Reason
}

type Cure = 'here' | 'unlikely' | 'room'

export function replaced(s: RecordedSnapshot, workload: Replacer): Replaced {
  const key = workloadKey(workload)
  const recorded = readyBefore(s, key)
  const wanted = Math.min(recorded, workload.desired ?? recorded)
  // Nothing else can serve for what runs on this node alone, as for the pod of a DaemonSet.
  const putBack = podsPutBack(s).filter((pod) => !isTiedToNode(pod, s.current.node, s.cluster.nodes))
  const ready = servingPods(s, workload, putBack).length
  if (ready >= wanted) return { kind: 'back' }
  const pods = podsOf(s, workload)
  const here = pods.find((pod) => putBack.includes(pod) && !pod.terminating)
  if (here !== undefined) return goesDown(s, here, { key, ready, wanted })
  const pending = pods.find((pod) => pod.unschedulable !== undefined && pod.nodeName === undefined)
  const othersOnTheWay = pods.some((pod) => !pod.ready && !pod.terminating && pod.nodeName !== undefined)
  const stuck = pods.find((pod) => !pod.ready && !pod.terminating && pod.waiting !== undefined)
  const why = pending?.unschedulable?.message ?? (stuck && `${refKey(stuck)}: ${stuck.waiting}`) ?? workload.failure
  const waiting: Waiting = {
    kind: 'waiting',
    isRefused: why !== undefined,
    reason: {
      code: 'ReplacementNotReady',
      object: key,
      text: `${key} has ${ready} ready of ${wanted} recorded${why === undefined ? '' : `; ${why}`}`,
    },
  }
  const cure = pending?.unschedulable && cureOf(s, pending.unschedulable)
  if (pending?.unschedulable === undefined || othersOnTheWay || cure === undefined) return waiting
  const object = refKey(pending)
  const text = `${object} can only run on ${s.current.node.name}: ${pending.unschedulable.message}`
  return { kind: 'onlyHere', cure, reason: { code: 'OnlyThisNodeCures', object, text }, waiting }
}

/**
 * At the record, or when one of its pods left or was let go, whichever is more: a workload may have been starting when it was recorded, or
 * another lane had taken one of its pods by then.
 */
function readyBefore(s: RecordedSnapshot, key: string): number {
  const letGo = podsHere(s).flatMap(({ polite }) => polite ?? [])
  return [...Object.values(s.evidence.evicted), ...letGo].reduce(
    (most, { workload, ready = 0 }) => (workload === key ? Math.max(most, ready) : most),
    Math.max(...[s.record, ...recordsBeside(s)].map(({ workloads }) => workloads[key] ?? 0)),
  )
}

/** Of the nodes that other lanes have in work. */
const recordsBeside = ({ run, cluster }: RecordedSnapshot): readonly NodeRecord[] =>
  (run.beside ?? []).flatMap((beside) => {
    const node = cluster.nodes.find(({ name }) => name === beside.node)
    const parsed = node && recordOn(node)
    return parsed?.ok === true && parsed.value.run === run.id ? [parsed.value] : []
  })

/** A Node object never changes, and each workload of a pass asks. */
const READ = new WeakMap<Node, Parsed<NodeRecord>>()

function recordOn(node: Node): Parsed<NodeRecord> {
  const known = READ.get(node) ?? parseNodeRecord(node.annotations[RECORD_ANNOTATION] ?? '')
  READ.set(node, known)
  return known
}

/** Ready ones that stay: none that was put back on a node of this run and goes down with it. */
function servingPods(s: RecordedSnapshot, replacer: Replacer, here: readonly Pod[]): readonly Pod[] {
  const beside = (s.run.beside ?? []).flatMap(({ putBack = [] }) => putBack)
  if (here.length === 0 && beside.length === 0) return readyPods(s, replacer)
  return readyPods(s, replacer).filter((pod) => !here.includes(pod) && !beside.includes(pod.uid))
}

interface Counted {
  readonly key: string
  readonly ready: number
  readonly wanted: number
}

function goesDown(s: RecordedSnapshot, pod: Pod, { key, ready, wanted }: Counted): Replaced {
  const reason: Reason = {
    code: 'ReplacementNotReady',
    object: key,
    text: `${key} has ${ready} ready of ${wanted} recorded; ${refKey(pod)} was put back on ${s.current.node.name}, and goes down with it`,
    next: 'remove the toleration of node.kubernetes.io/unschedulable from its pod template',
  }
  return ready + 1 >= wanted ? { kind: 'putBack', reason } : { kind: 'waiting', isRefused: true, reason }
}

/**
 * Why a pod of the workload may not leave yet: the one before is not replaced. What no other node can ever take is not waited for; where
 * one is unlikely to take it, at least not by any but the last pod that serves.
 */
export function notReplaced(
  s: RecordedSnapshot,
  replacer: Replacer,
  { uid }: Pod,
): Exclude<Replaced, { readonly kind: 'back' | 'onlyHere' }> | undefined {
  const answer = replaced(s, replacer)
  if (answer.kind === 'back') return undefined
  if (answer.kind !== 'onlyHere') return answer
  const isLast = !readyPods(s, replacer).some((pod) => pod.uid !== uid)
  return answer.cure === 'room' || (answer.cure === 'unlikely' && isLast) ? answer.waiting : undefined
}

/** Undefined: time or another node may cure it. The node under way is cordoned. */
function cureOf(s: RecordedSnapshot, { nodes }: Unschedulable): Cure | undefined {
  if (nodes === undefined || nodes.cordoned === 0) return undefined
  const { all, cordoned, bound, byPods, others } = nodes
  const isBound = others === 0 && cordoned + bound + byPods >= all && !s.cluster.nodes.some(isShutForNow)
  if (isBound) return cordoned === 1 && byPods === 0 ? 'here' : 'unlikely'
  return cordoned === 1 && bound + byPods + others >= all - 1 ? 'room' : undefined
}

/** Its taints keep pods away until it is well again. A cordoned node is counted as such. */
const isShutForNow = ({ unschedulable, taints }: Node): boolean =>
  !unschedulable && taints.some(({ key }) => FOR_NOW.test(key))

const FOR_NOW = /^node\.(cloudprovider\.)?kubernetes\.io\//
