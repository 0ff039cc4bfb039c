import { asksToLeave, MAINTENANCE_ANNOTATION } from '../../../ground/model/claims.ts'
import { selectorMatches } from '../../../ground/model/label-selector.ts'
import { isControlPlane, type Node } from '../../../ground/model/node.ts'
import { RECORD_ANNOTATION } from '../../../service/model/node-record.ts'
import type { RollSpec } from '../../model/roll-spec.ts'

interface Selection {
  /** In the order of the roll. */
  readonly nodes: readonly Node[]
  readonly unknown: readonly string[]
}

/**
 * Named nodes keep the order of the file. Of selected nodes, workers that take no new pods come first, since the cluster loses
 * least with them. Then come workers by zone, so that the other zones are whole meanwhile. Then come workers that the roll
 * cannot begin now: earlier, they would hold it before it has done anything. The control plane comes last, cordoned or not,
 * since its members wait for each other.
 */
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
  return { nodes: chosen.toSorted(inOrder), unknown: [] }
}

const ZONE_LABEL = 'topology.kubernetes.io/zone'

function inOrder(left: Node, right: Node): number {
  const rank = rankOf(left) - rankOf(right)
  return rank !== 0 ? rank : compared(zoneOf(left), zoneOf(right)) || compared(left.name, right.name)
}

function rankOf(node: Node): number {
  if (isControlPlane(node)) return 3
  if (isHeld(node)) return 2
  return node.unschedulable ? 0 : 1
}

/** A guard would hold the node, because of another owner or a needed repair. */
const isHeld = ({ ready, annotations }: Node): boolean =>
  ready !== 'True' || RECORD_ANNOTATION in annotations || asksToLeave(annotations[MAINTENANCE_ANNOTATION])

/** Nodes without a zone come before those of the first zone. */
const zoneOf = ({ labels }: Node): string => labels[ZONE_LABEL] ?? ''

const compared = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)
