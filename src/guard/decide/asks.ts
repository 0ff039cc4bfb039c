import type { Node } from '../../ground/model/node.ts'
import { takenBy } from '../../ground/model/node-reading.ts'

/** What shows that a node is to be drained, as the end of a sentence; undefined: nothing does. */
export function asksToDrain({
  unschedulable,
  lifecycle = [],
  deleting,
  taints,
}: Pick<Node, 'unschedulable' | 'lifecycle' | 'deleting' | 'taints'>): string | undefined {
  if (unschedulable) return 'is cordoned'
  if (lifecycle.length > 0) return `has the condition ${lifecycle.join(', ')}`
  if (deleting === true) return 'is being deleted'
  const taint = taints.find(({ key }) => takenBy(key) !== undefined)
  return taint === undefined ? undefined : `has the taint ${taint.key}`
}

/** No new guard pod is placed on the node. */
export const takesNoPods = ({ unschedulable, taints }: Node): boolean =>
  unschedulable || taints.some(({ key, effect }) => effect === 'NoSchedule' && takenBy(key) !== undefined)

/**
 * The node without the signs of its removal. A guard stays until the Node is gone, since it has to resist the program that removes nodes.
 */
export function asIfItStayed(node: Node): { readonly node: Node; readonly isGoing: boolean } {
  const { deleting, ...rest } = node
  const taints = node.taints.filter(({ key }) => takenBy(key) === undefined)
  const isGoing = deleting === true || taints.length < node.taints.length
  return isGoing ? { node: { ...rest, taints }, isGoing } : { node, isGoing }
}
