import { refKey } from '../../../ground/model/object-ref.ts'
import type { Unschedulable } from '../../../ground/model/pod.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { workloadKey } from '../../../ground/model/workload.ts'
import type { RecordedSnapshot } from '../node-snapshot.ts'
import { podsOf, readyPods } from './ready-pods.ts'
import type { Replacer } from './replacer-of.ts'

/**
 * Whether a workload has as many ready pods as were recorded. Yes also where its replacement is Pending for a reason that only
 * this node can end: the wait would never end, and the reason is named.
 */
export type Replaced =
  | { readonly kind: 'back' }
  | { readonly kind: 'onlyHere'; readonly reason: Reason }
  /** `isRefused`: more than time is needed, such as a node, a quota or an image. */
  | { readonly kind: 'waiting'; readonly isRefused: boolean; readonly reason: Reason }

export function replaced(s: RecordedSnapshot, workload: Replacer): Replaced {
  const key = workloadKey(workload)
  const recorded = s.record.workloads[key] ?? 0
  const wanted = Math.min(recorded, workload.desired ?? recorded)
  const ready = readyPods(s, workload).length
  if (ready >= wanted) return { kind: 'back' }
  const pods = podsOf(s, workload)
  const pending = pods.find((pod) => pod.unschedulable !== undefined && pod.nodeName === undefined)
  const othersOnTheWay = pods.some((pod) => !pod.ready && !pod.terminating && pod.nodeName !== undefined)
  if (pending?.unschedulable !== undefined && !othersOnTheWay && onlyThisNodeCures(pending.unschedulable)) {
    return {
      kind: 'onlyHere',
      reason: {
        code: 'OnlyThisNodeCures',
        object: `${pending.namespace}/${pending.name}`,
        text: `${pending.namespace}/${pending.name} can only run on ${s.current.node.name}: ${pending.unschedulable.message}`,
      },
    }
  }
  const stuck = pods.find((pod) => !pod.ready && !pod.terminating && pod.waiting !== undefined)
  const why = pending?.unschedulable?.message ?? (stuck && `${refKey(stuck)}: ${stuck.waiting}`) ?? workload.failure
  return {
    kind: 'waiting',
    isRefused: why !== undefined,
    reason: {
      code: 'ReplacementNotReady',
      object: key,
      text: `${key} has ${ready} ready of ${wanted} recorded${why === undefined ? '' : `; ${why}`}`,
    },
  }
}

/** One node is cordoned (the one under way), and every other node refuses for a reason of its own. */
const onlyThisNodeCures = ({ nodes }: Unschedulable): boolean =>
  nodes !== undefined && nodes.cordoned === 1 && nodes.others >= nodes.all - 1
