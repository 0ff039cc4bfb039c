import type { Node } from '../../ground/model/node.ts'
import type { FoundDeployment } from '../../ground/model/owned/found-workload.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import type { NodeEffect } from '../../service/model/node-effect.ts'
import type { GuardPod } from './found.ts'
import type { FoundGate, GuardView } from './snapshot.ts'
import type { WantedGuard } from './wanted-guard.ts'

/** Who overrides a hold: a person, or `maxHold`. */
export interface Released {
  readonly by: string
  readonly why?: string
  readonly passedOver: string
}

/** Actions for one guard. Each is one write, which names the version that was read. */
export type GuardObjectAction = { readonly view: GuardView } & (
  | { readonly kind: 'createGate'; readonly wanted: WantedGuard }
  | { readonly kind: 'createDeployment'; readonly wanted: WantedGuard; readonly replicas: number }
  /** The budget is not as wanted. */
  | {
      readonly kind: 'closeGate'
      readonly wanted: WantedGuard
      readonly gate: FoundGate
      readonly node: string
      readonly isExpired?: true
    }
  | {
      readonly kind: 'openGate'
      readonly wanted: WantedGuard
      readonly gate: FoundGate
      readonly node: string
      readonly released?: Released
    }
  /** `pods: 'keep'`: its template stays as it is. */
  | {
      readonly kind: 'alignDeployment'
      readonly wanted: WantedGuard
      readonly deployment: FoundDeployment
      readonly replicas: number
      readonly unplaceable: number
      readonly isPaused: boolean
      readonly pods: 'keep' | 'replace'
    }
  | { readonly kind: 'deleteDeployment'; readonly deployment: OwnedObject }
  | { readonly kind: 'deleteGate'; readonly gate: OwnedObject }
  /** In mode Budget: deletes the guard of a node that is to have none. */
  | { readonly kind: 'deletePod'; readonly pod: GuardPod }
  /** In mode Budget: deletes the guard of the granted node, since an open budget would let the guard of any node go. */
  | { readonly kind: 'letGo'; readonly pod: GuardPod; readonly node: string; readonly released?: Released }
  /** Removes our finalizer from a deleted pod. `node`: the granted node; absent: there is nothing left to guard. */
  | { readonly kind: 'unlockPod'; readonly pod: GuardPod; readonly node?: string }
)

/** Removes our finalizer from a deleted pod whose NodeGuard is gone. */
interface GuardStrayAction {
  readonly kind: 'unlockStray'
  readonly pod: GuardPod
}

export type GuardAction = GuardObjectAction | NodeEffect | GuardStrayAction

/** The UID of the object that an action changes. Undefined: it creates one. */
export function objectOfGuardAction(action: GuardAction, nodes: ReadonlyMap<string, Node>): string | undefined {
  if ('pod' in action) return action.pod.uid
  if (!('view' in action)) return nodes.get(action.node)?.uid
  if ('deployment' in action) return action.deployment.uid
  if (!('gate' in action)) return undefined
  return 'object' in action.gate ? action.gate.object.uid : action.gate.uid
}

/** The kind of an action and the name of the object that it changes. */
export function guardActionKey(action: GuardAction): string {
  if (action.kind === 'unlockStray') return `${action.kind} ${action.pod.uid}`
  if (!('view' in action)) return `${action.kind} ${action.node}`
  const { uid } = action.view.guard
  switch (action.kind) {
    case 'deleteDeployment':
    case 'alignDeployment':
      return `${action.kind} ${uid}/${action.deployment.name}`
    case 'deleteGate':
      return `${action.kind} ${uid}/${action.gate.name}`
    case 'deletePod':
    case 'letGo':
    case 'unlockPod':
      return `${action.kind} ${uid}/${action.pod.name}`
    default:
      return `${action.kind} ${uid}/${action.wanted.name}`
  }
}
