import { rollOwner } from '../../ground/model/claims.ts'
import type { Node } from '../../ground/model/node.ts'
import type { Action } from '../../service/model/action.ts'
import { markNodePatch, unmarkNodePatch } from './node-mark-patch.ts'
import {
  addTaintPatch,
  askToDetachPatch,
  claimPatch,
  cordonPatch,
  endDetachPatch,
  intentPatch,
  recordPatch,
  removeRecordPatch,
  removeTaintPatch,
  withdrawPatch,
} from './node-patch.ts'

/** An action that is one patch of the Node that bears the record. */
export type NodeWrite = Extract<
  Action,
  {
    kind:
      | 'writeRecord'
      | 'cordon'
      | 'uncordon'
      | 'addTaint'
      | 'removeTaint'
      | 'writeIntent'
      | 'removeRecord'
      | 'askAgent'
      | 'askDetacher'
      | 'setNodeMark'
  }
>

/** What a write says of its run. `at`: RFC 3339. */
interface Stamp {
  readonly run: string
  readonly at: string
  readonly id: string
}

export function nodePatch(action: NodeWrite, node: Node, { id, ...stamp }: Stamp) {
  switch (action.kind) {
    case 'writeRecord':
      return recordPatch(
        node,
        action.record,
        action.announced === true ? { version: 1, bootId: action.record.bootId, ...stamp } : undefined,
      )
    case 'cordon':
      return cordonPatch(node, true)
    case 'uncordon':
      return cordonPatch(node, false)
    case 'addTaint':
      return addTaintPatch(node, action.taint)
    case 'removeTaint':
      return removeTaintPatch(node, action.taint)
    case 'writeIntent':
      return intentPatch(node, { version: 1, bootId: action.bootId, ...stamp })
    case 'askAgent':
      return action.state === 'ready'
        ? withdrawPatch(node, rollOwner(stamp.run))
        : claimPatch(node, { owner: rollOwner(stamp.run), id, at: stamp.at })
    case 'askDetacher':
      return action.state === 'ready' ? endDetachPatch(node, action) : askToDetachPatch(node, action)
    case 'setNodeMark':
      return action.state === 'ready' ? unmarkNodePatch(node, action.mark) : markNodePatch(node, action.mark)
    case 'removeRecord':
      return removeRecordPatch(node)
  }
}
