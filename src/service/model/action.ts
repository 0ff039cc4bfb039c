import type { Taint } from '../../ground/model/node.ts'
import type { PoliteMark } from '../../ground/model/polite-mark.ts'
import type { AdminState, ServerRef } from './balancer.ts'
import type { NodeMark } from './node-mark.ts'
import type { NodeRecord } from './node-record.ts'

/** Everything a roll can do to the world, each with what must still hold when it is done. */
export type Action =
  | {
      readonly kind: 'takeSlot'
      readonly node: string
      /** A slot whose owner renews no more may be taken from it. */
      readonly takeStale: boolean
      /** Which one, where there are several; absent: 0. */
      readonly slot?: number
      /** For a node that bears the record of the run: it is out already. Goes ahead without a journal. */
      readonly restores: boolean
    }
  | {
      readonly kind: 'writeRecord'
      readonly node: string
      readonly record: NodeRecord
      /** The resourceVersion of the Node that was recorded; absent where an older record is written again. */
      readonly asOf?: string
    }
  | { readonly kind: 'cordon'; readonly node: string }
  | { readonly kind: 'uncordon'; readonly node: string }
  | { readonly kind: 'addTaint'; readonly node: string; readonly taint: Taint }
  | { readonly kind: 'removeTaint'; readonly node: string; readonly taint: Taint }
  | {
      readonly kind: 'setServer'
      readonly node: string
      readonly balancer: string
      readonly ref: ServerRef
      readonly state: AdminState
      /** Back towards the recorded state: goes ahead without a journal. */
      readonly restores: boolean
    }
  | {
      /** By the roll's own claim on the node, to its agent: to leave its load balancers (`drain`); `ready` withdraws it. */
      readonly kind: 'askAgent'
      readonly node: string
      readonly balancer: string
      readonly ref: ServerRef
      readonly state: AdminState
      readonly restores: boolean
    }
  | {
      /** By an annotation of the node, to a detacher of the cluster, likewise; taken away only where its value is this one. */
      readonly kind: 'askDetacher'
      readonly node: string
      readonly balancer: string
      readonly ref: ServerRef
      readonly key: string
      readonly value: string
      readonly state: AdminState
      readonly restores: boolean
    }
  | {
      /** By a mark on the Node, which makes its health check fail, likewise. */
      readonly kind: 'setNodeMark'
      readonly node: string
      readonly balancer: string
      readonly ref: ServerRef
      readonly mark: NodeMark
      readonly state: AdminState
      readonly restores: boolean
    }
  | {
      readonly kind: 'cutSessions'
      readonly node: string
      readonly balancer: string
      readonly ref: ServerRef
      readonly sessions: number
    }
  | {
      readonly kind: 'evict'
      readonly node: string
      readonly namespace: string
      readonly name: string
      readonly uid: string
      readonly stage: number
      readonly graceSeconds?: number
      /** Its replacement is Ready and no Service sends to it. Absent: it leaves without that. */
      readonly polite?: true
    }
  | {
      /** Past every budget, in the pod's own grace: for a pod whose eviction is refused, where the file says so. */
      readonly kind: 'deletePod'
      readonly node: string
      readonly namespace: string
      readonly name: string
      readonly uid: string
      readonly stage: number
    }
  /** The ReplicaSet of the pod lets it go and starts another one. */
  | (PodRelabel & { readonly kind: 'releasePod'; readonly mark: PoliteMark })
  /** No Service selects the pod any more. */
  | (PodRelabel & { readonly kind: 'withdrawPod' })
  /** The pod has its labels back, and its ReplicaSet takes it back. */
  | (PodRelabel & { readonly kind: 'giveBackPod' })
  | { readonly kind: 'writeIntent'; readonly node: string; readonly bootId: string }
  | { readonly kind: 'sendReboot'; readonly node: string; readonly bootId: string }
  /** On a node that the run begins later: new pods avoid it. */
  | { readonly kind: 'markToCome'; readonly node: string }
  | { readonly kind: 'unmarkToCome'; readonly node: string }
  /** A command of the operator's own is begun; how it ended is told later. */
  | { readonly kind: 'runHook'; readonly node: string; readonly hook: string; readonly address?: string }
  /** What takes it back: goes ahead without a journal. */
  | { readonly kind: 'undoHook'; readonly node: string; readonly hook: string; readonly address?: string }
  | { readonly kind: 'removeRecord'; readonly node: string }
  | { readonly kind: 'releaseSlot'; readonly node: string }

/** A command of the operator's own, or what takes it back; of a machine it has the name as `node`. */
export type HookAction = Extract<Action, { kind: 'runHook' | 'undoHook' }>

/** Labels of one pod, written where it is still as it was read. */
interface PodRelabel {
  readonly node: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly asOf: string
  readonly labels: Readonly<Record<string, string>>
}

export type PoliteAction = Extract<Action, { kind: 'releasePod' | 'withdrawPod' | 'giveBackPod' }>

/** Marks are among these: they take nothing out, and each names its run, so that the journal has nothing to add. */
const RESTORING: ReadonlySet<Action['kind']> = new Set([
  'uncordon',
  'removeTaint',
  'giveBackPod',
  'markToCome',
  'unmarkToCome',
  'undoHook',
  'removeRecord',
  'releaseSlot',
])

/** What moves traffic of a node, to or from one of the places that it is served from. */
export type TrafficAction = Extract<Action, { kind: 'setServer' | 'askAgent' | 'askDetacher' | 'setNodeMark' }>

const MOVES_TRAFFIC: ReadonlySet<string> = new Set<TrafficAction['kind']>([
  'setServer',
  'askAgent',
  'askDetacher',
  'setNodeMark',
])

export const movesTraffic = (action: Action): action is TrafficAction => isTrafficKind(action.kind)

/** Of an action's kind as an event names it. */
export const isTrafficKind = (kind: string): boolean => MOVES_TRAFFIC.has(kind)

/** A pod is to leave its node. */
export type RemovalAction = Extract<Action, { kind: 'evict' | 'deletePod' }>

export const removesPod = (action: Action): action is RemovalAction =>
  action.kind === 'evict' || action.kind === 'deletePod'

/** Restoring effects go ahead without the journal, with a warning; all others wait for it. */
export function isRestoring(action: Action): boolean {
  return 'restores' in action ? action.restores : RESTORING.has(action.kind)
}

/** Of the eviction of that pod, at whatever stage. */
export const evictionKey = ({ uid }: Pick<RemovalAction, 'uid'>): string => `evict ${uid}`

/** One key per thing acted on: back-off and de-duplication go by it. */
export function actionKey(action: Action): string {
  switch (action.kind) {
    case 'setServer':
      return `setServer ${action.ref.instance} ${action.ref.backend}/${action.ref.server} ${action.state}`
    case 'askAgent':
      return `askAgent ${action.ref.server} ${action.state}`
    case 'askDetacher':
      return `askDetacher ${action.ref.server} ${action.key} ${action.state}`
    case 'setNodeMark':
      return `setNodeMark ${action.ref.server} ${action.mark.kind} ${action.mark.key} ${action.state}`
    case 'cutSessions':
      return `cutSessions ${action.ref.instance} ${action.ref.backend}/${action.ref.server}`
    case 'evict':
      return evictionKey(action)
    case 'deletePod':
    case 'releasePod':
    case 'withdrawPod':
    case 'giveBackPod':
      return `${action.kind} ${action.uid}`
    case 'runHook':
    case 'undoHook':
      return `${action.kind} ${action.node} ${action.hook}`
    default:
      return `${action.kind} ${action.node}`
  }
}
