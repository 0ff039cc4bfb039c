import type { Action } from '../../service/model/action.ts'
import { serverKey } from '../../service/model/balancer.ts'

/** One write in words, for `-vv` and the journal's readers. */
export function describeAction(action: Action): string {
  switch (action.kind) {
    case 'takeSlot':
      return `take a slot of the node budget for ${action.node}`
    case 'writeRecord':
      return `record what was there before on ${action.node}`
    case 'cordon':
      return `cordon ${action.node}`
    case 'uncordon':
      return `uncordon ${action.node}`
    case 'addTaint':
      return `taint ${action.node} ${action.taint.key}:${action.taint.effect}`
    case 'removeTaint':
      return `untaint ${action.node} ${action.taint.key}:${action.taint.effect}`
    case 'setServer':
    case 'askAgent':
    case 'askDetacher':
    case 'setNodeMark':
      return `set ${serverKey(action.ref)} to ${action.state}`
    case 'cutSessions':
      return `cut ${action.sessions} sessions of ${serverKey(action.ref)}`
    case 'evict':
      return `evict ${action.namespace}/${action.name}`
    case 'deletePod':
      return `delete ${action.namespace}/${action.name}`
    case 'releasePod':
      return `let ${action.namespace}/${action.name} go from its ReplicaSet`
    case 'withdrawPod':
      return `take ${action.namespace}/${action.name} out of its Services`
    case 'giveBackPod':
      return `give ${action.namespace}/${action.name} its labels back`
    case 'writeIntent':
      return `announce the reboot on ${action.node}`
    case 'sendReboot':
      return `reboot ${action.node}`
    case 'markToCome':
      return `mark ${action.node} as still to come`
    case 'unmarkToCome':
      return `take the mark off ${action.node}`
    case 'runHook':
      return `begin hook ${action.hook} for ${action.node}`
    case 'undoHook':
      return `begin the undo of hook ${action.hook} for ${action.node}`
    case 'removeRecord':
      return `take the record off ${action.node}`
    case 'releaseSlot':
      return `release the slot of ${action.node}`
  }
}
