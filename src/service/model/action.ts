import type { Taint } from '../../ground/model/node.ts'
import type { PoliteMark } from '../../ground/model/polite-mark.ts'
import type { AdminState, ServerRef } from './balancer.ts'
import type { NodeMark } from './node-mark.ts'
import type { NodeRecord } from './node-record.ts'

/** Everything a roll can do to the world, and what must still hold when it is done. */
export type Action =
  | {
      readonly kind: 'takeSlot'
      readonly node: string
      /** A slot whose owner renews no more may be taken from it. */
      readonly takeStale: boolean
      /** The number of the slot; absent: 0. */
      readonly slot?: number
      /** For a node that bears the record of the run, and so is out already. Needs no journal. */
      readonly restores: boolean
    }
  | {
      readonly kind: 'writeRecord'
      readonly node: string
      readonly record: NodeRecord
      /** The resourceVersion of the Node that was recorded; absent where an older record is written again. */
      readonly asOf?: string
      /** With the intent beside it, which the Node has lost as well. */
      readonly announced?: true
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
      /** Restores the recorded state: needs no journal. */
      readonly restores: boolean
    }
  | {
      /** The roll's claim on the node asks its agent to leave its load balancers (`drain`); `ready` withdraws the claim. */
      readonly kind: 'askAgent'
      readonly node: string
      readonly balancer: string
      readonly ref: ServerRef
      readonly state: AdminState
      readonly restores: boolean
    }
  | {
      /**
       * An annotation of the node asks a detacher of the cluster, likewise; it is removed only where its value is still this
       * one.
       */
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
      /** A mark on the Node makes its health check fail, likewise. */
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
      /** The replacement of the pod is Ready and no Service sends to the pod. Absent: the pod leaves without a replacement. */
      readonly polite?: true
    }
  | {
      /** Deletes a pod whose eviction is refused, where the file allows it: past every budget, with the pod's own grace. */
      readonly kind: 'deletePod'
      readonly node: string
      readonly namespace: string
      readonly name: string
      readonly uid: string
      readonly stage: number
    }
  /** The ReplicaSet of the pod releases it and starts another one. */
  | (PodRelabel & { readonly kind: 'releasePod'; readonly mark: PoliteMark })
  /** No Service selects the pod any more. */
  | (PodRelabel & { readonly kind: 'withdrawPod' })
  /** The pod gets its labels back, and its ReplicaSet takes it back. */
  | (PodRelabel & { readonly kind: 'giveBackPod' })
  /** `again`: the node has lost it, and the command may have been sent. */
  | { readonly kind: 'writeIntent'; readonly node: string; readonly bootId: string; readonly again?: true }
  | { readonly kind: 'sendReboot'; readonly node: string; readonly bootId: string }
  /** New pods avoid a node that the run begins later. */
  | { readonly kind: 'markToCome'; readonly node: string }
  | { readonly kind: 'unmarkToCome'; readonly node: string }
  /** Begins a command of the operator; its end is reported later. */
  | { readonly kind: 'runHook'; readonly node: string; readonly hook: string; readonly address?: string }
  /** The command that undoes it: needs no journal. */
  | { readonly kind: 'undoHook'; readonly node: string; readonly hook: string; readonly address?: string }
  | { readonly kind: 'removeRecord'; readonly node: string }
  | { readonly kind: 'releaseSlot'; readonly node: string }

/** A command of the operator, or its undo. For a machine, `node` is the name of the machine. */
export type HookAction = Extract<Action, { kind: 'runHook' | 'undoHook' }>

/** Labels of one pod; written only where the pod has not changed since it was read. */
interface PodRelabel {
  readonly node: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly asOf: string
  readonly labels: Readonly<Record<string, string>>
}

export type PoliteAction = Extract<Action, { kind: 'releasePod' | 'withdrawPod' | 'giveBackPod' }>

/** Marks are in this list: they take nothing out, and each names its run, so the journal need not. */
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

/** Actions that move traffic of a node, at one of its places. */
export type TrafficAction = Extract<Action, { kind: 'setServer' | 'askAgent' | 'askDetacher' | 'setNodeMark' }>

const MOVES_TRAFFIC: ReadonlySet<string> = new Set<TrafficAction['kind']>([
  'setServer',
  'askAgent',
  'askDetacher',
  'setNodeMark',
])

export const movesTraffic = (action: Action): action is TrafficAction => isTrafficKind(action.kind)

/** The same for the kind of an action as an event has it. */
export const isTrafficKind = (kind: string): boolean => MOVES_TRAFFIC.has(kind)

/** A pod is removed from its node. */
export type RemovalAction = Extract<Action, { kind: 'evict' | 'deletePod' }>

export const removesPod = (action: Action): action is RemovalAction =>
  action.kind === 'evict' || action.kind === 'deletePod'

/** Restoring actions need no journal, and warn without one; all others wait for it. */
export function isRestoring(action: Action): boolean {
  return 'restores' in action ? action.restores : RESTORING.has(action.kind)
}

/** The key of the eviction of this pod, at any stage. */
export const evictionKey = ({ uid }: Pick<RemovalAction, 'uid'>): string => `evict ${uid}`

/** One key for each thing that is acted on: back-off and de-duplication go by it. */
export function actionKey(action: Action): string {
  switch (action.kind) {
    case 'setServer':
      return commandKey(action.ref, action.state)
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

const COMMAND = 'setServer '

/** The key of the command that sets this server to this state. */
export const commandKey = ({ instance, backend, server }: ServerRef, state: AdminState): string =>
  `${COMMAND}${instance} ${backend}/${server} ${state}`

export const isCommandKey = (key: string): boolean => key.startsWith(COMMAND)
