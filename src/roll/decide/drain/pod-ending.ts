import { formatDuration } from '../../../ground/model/duration.ts'
import type { Node } from '../../../ground/model/node.ts'
import { refKey } from '../../../ground/model/object-ref.ts'
import type { Pod, PodEnding } from '../../../ground/model/pod.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { type Command, kubectl, say } from '../../../ground/model/sentence.ts'
import type { WallMs } from '../../../ground/model/time.ts'
import type { NodeSnapshot } from '../node-snapshot.ts'

/** How far the clock of the API server and ours may differ. */
const CLOCKS_DIFFER_MS = 5_000

interface Around {
  readonly now: WallMs
  /** The Ready condition of the pod's node. Absent: not known. */
  readonly nodeReady?: Node['ready']
}

/** Why a pod that is being deleted still exists. `lateMs`: since the end of its grace; negative while some is left. */
export interface StillThere {
  readonly kind: 'finalizer' | 'silentNode' | 'overdue' | 'inGrace'
  readonly lateMs: number
}

export function stillThere({ due, graceSeconds, finalizers }: PodEnding, { now, nodeReady }: Around): StillThere {
  const lateMs = now - Date.parse(due)
  if (finalizers.length > 0 && graceSeconds === 0) return { kind: 'finalizer', lateMs }
  if (nodeReady !== undefined && nodeReady !== 'True') return { kind: 'silentNode', lateMs }
  return { kind: lateMs > CLOCKS_DIFFER_MS ? 'overdue' : 'inGrace', lateMs }
}

/** A pod that neither its kubelet nor time ends: why, and what people may do that a roll never does. */
export function stuckEnding(pod: Pod, ending: PodEnding, { kind, lateMs }: StillThere): Reason | undefined {
  const { namespace, name, nodeName = 'its node' } = pod
  const object = refKey(pod)
  switch (kind) {
    case 'finalizer': {
      const which = `finalizer${ending.finalizers.length === 1 ? '' : 's'} ${ending.finalizers.join(', ')}`
      return {
        code: 'PodFinalizer',
        object,
        text: `${object} has ended and is kept by its ${which}`,
        next: say`only if the program that owns it is gone for good: ${withoutFinalizers(pod)}`,
      }
    }
    case 'silentNode':
      return {
        code: 'NodeUnreachable',
        object,
        text: `${object} is being deleted, and ${nodeName} is not Ready, so no kubelet says that it has ended`,
        next: say`only if the machine ${nodeName} is surely off: ${byForce(pod)}`,
      }
    case 'overdue':
      return {
        code: 'PodOverdue',
        object,
        text: `${object} was to end ${formatDuration(lateMs)} ago, and the kubelet of ${nodeName} has not ended it`,
        next: kubectl`-n ${namespace} describe pod ${name}`,
      }
    case 'inGrace':
      return undefined
  }
}

export const withoutFinalizers = ({ namespace, name }: Pod): Command =>
  kubectl`-n ${namespace} patch pod ${name} --type merge -p ${'{"metadata":{"finalizers":null}}'}`

export const byForce = ({ namespace, name }: Pod): Command =>
  kubectl`-n ${namespace} delete pod ${name} --force --grace-period=0`

/** The reason of a drain about a pod that is being deleted. */
export function isGoing({ wall, current }: NodeSnapshot, pod: Pod): Reason {
  const { ending } = pod
  const stuck = ending && stuckEnding(pod, ending, stillThere(ending, { now: wall, nodeReady: current.node.ready }))
  return stuck ?? { code: 'PodLeaving', object: refKey(pod), text: `${refKey(pod)} is leaving` }
}
