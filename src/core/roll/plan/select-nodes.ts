import { selectorMatches } from '../../../model/label-selector.ts'
import { isControlPlane, type Node } from '../../../model/node.ts'
import type { RollSpec } from '../../../model/roll-spec.ts'

interface Selection {
  /** In the order they are rolled. */
  readonly nodes: readonly Node[]
  readonly unknown: readonly string[]
}

/** Named nodes in the order they were named; selected ones workers first, the control plane last, each by name. */
export function selectNodes(spec: RollSpec['nodes'], nodes: readonly Node[]): Selection {
  if (spec.names.length > 0) {
    const found = spec.names.map((name) => nodes.find((node) => node.name === name))
    return {
      nodes: found.filter((node) => node !== undefined),
      unknown: spec.names.filter((name) => !nodes.some((node) => node.name === name)),
    }
  }
  const { selector } = spec
  const chosen = spec.all
    ? nodes
    : nodes.filter((node) => selector !== undefined && selectorMatches(selector, node.labels))
  return { nodes: chosen.toSorted(workersFirst), unknown: [] }
}

function workersFirst(left: Node, right: Node): number {
  const rank = Number(isControlPlane(left)) - Number(isControlPlane(right))
  return rank !== 0 ? rank : left.name < right.name ? -1 : 1
}
