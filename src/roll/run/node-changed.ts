import type { Node } from '../../ground/model/node.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import { sharedAddresses } from '../../service/decide/shared-addresses.ts'
import { RECORD_ANNOTATION } from '../../service/model/node-record.ts'
import { recordOf } from './last-seen.ts'

/** The node has changed since the decision: the next pass decides anew. */
export const nodeChanged = (node: Node, what: string): WorldError =>
  new WorldError(`${node.name} ${what}`, { code: 'NODE_CHANGED', retry: 'now' })

/** Nothing is written to a node by the record of another run, or by one that cannot be read. */
export function mustBearRecord(node: Node, run: string): void {
  if (!(RECORD_ANNOTATION in node.annotations)) throw nodeChanged(node, 'lost its record')
  if (recordOf(node)?.run !== run) throw nodeChanged(node, 'has another record than that of this run')
}

/** Checked just before the point of no return: cordoned, and with the recorded boot id. */
export function mustStillRest(node: Node, bootId: string): void {
  if (!node.unschedulable) throw nodeChanged(node, 'is not cordoned any more')
  if (node.bootId !== bootId) throw nodeChanged(node, 'already has another boot id')
}

/** The kubelet may have written another address since the reboot was decided, and the command goes to it. */
export function mustHaveOwnAddress(node: Node, nodes: readonly Node[]): void {
  const [shared] = sharedAddresses(node, nodes)
  if (shared !== undefined) throw nodeChanged(node, `has an address that is not its own: ${shared.text}`)
}

/**
 * A list of pods can be newer than the Node of a silent watch. A Node that was registered again meanwhile has no cordon, and
 * its pods serve.
 */
export function mustBeDraining(node: Node, run: string): void {
  mustBearRecord(node, run)
  if (!node.unschedulable) throw nodeChanged(node, 'is not cordoned any more')
}
