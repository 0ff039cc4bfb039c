import type { Node } from '../../ground/model/node.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import { RECORD_ANNOTATION } from '../../service/model/node-record.ts'

/** The node is not what it was when that was decided: the next pass decides anew. */
export const nodeChanged = (node: Node, what: string): WorldError =>
  new WorldError(`${node.name} ${what}`, { code: 'NODE_CHANGED', retry: 'now' })

/** Just before the point of no return: cordoned, and on the boot id that the record names. */
export function mustStillRest(node: Node, bootId: string): void {
  if (!node.unschedulable) throw nodeChanged(node, 'is not cordoned any more')
  if (node.bootId !== bootId) throw nodeChanged(node, 'already has another boot id')
}

/**
 * A list of pods can be newer than what a silent watch has shown of the Node. A Node that was registered again meanwhile has no
 * cordon, and what runs there now is for that Node to serve.
 */
export function mustBeDraining(node: Node): void {
  if (!(RECORD_ANNOTATION in node.annotations)) throw nodeChanged(node, 'lost its record')
  if (!node.unschedulable) throw nodeChanged(node, 'is not cordoned any more')
}
