import type { Node } from './node.ts'
import type { Pod } from './pod.ts'

/** The scheduler can place the pod on no other node, whatever room there is: its own selector names this one, or only this one matches. */
export function isTiedToNode({ nodeSelector }: Pod, { name }: Pick<Node, 'name'>, nodes: readonly Node[]): boolean {
  const wanted = Object.entries(nodeSelector)
  if (wanted.length === 0) return false
  const matches = (node: Node): boolean =>
    wanted.every(([key, value]) => (key === 'metadata.name' ? node.name : node.labels[key]) === value)
  return !nodes.some((node) => node.name !== name && matches(node))
}
