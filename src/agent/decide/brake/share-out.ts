import { maxOut } from '../../../service/decide/budget/max-out.ts'
import type { FleetNode } from '../../model/fleet-node.ts'
import { outByThemselves } from './out-by-itself.ts'
import type { BrakeSnapshot } from './snapshot.ts'

export interface Share {
  /** Names, sorted. */
  readonly granted: readonly string[]
  /** Cordoned nodes that still serve because they have no grant. The node that has waited longest comes first. */
  readonly waiting: readonly FleetNode[]
  /** Nodes that are out for another reason than a granted cordon; sorted. */
  readonly otherwiseOut: readonly string[]
  readonly max: number
  readonly of: number
  /** Nothing is granted for this long: it is not known which nodes came back a moment ago. */
  readonly tooSoonForMs: number
}

/**
 * A granted node stays granted while it is cordoned: it may be rebooting, even if fewer nodes may be out by now. The rest goes to
 * the nodes that have been cordoned longest, as long as no more nodes are out than the limit, for whatever reason.
 */
export function shareOut(
  { limit, memory, published, now, returnMs }: BrakeSnapshot,
  nodes: readonly FleetNode[],
): Share {
  const max = maxOut(limit, nodes.length)
  const before = new Set(published?.grants?.granted)
  const cordoned = nodes.filter(({ unschedulable }) => unschedulable)
  const granted = new Set(cordoned.filter(({ name }) => before.has(name)).map(({ name }) => name))
  const out = new Set([...granted, ...outByThemselves(nodes, new Set(memory.returning.keys())).map(({ node }) => node)])
  const since = ({ name }: FleetNode): number => memory.cordoned.get(name)?.since ?? Number.POSITIVE_INFINITY
  const next = cordoned.filter(({ name }) => !granted.has(name)).toSorted((a, b) => sooner(a, b, since))
  const tooSoonForMs = published?.grants === undefined ? 0 : Math.max(0, (memory.since ?? now) + returnMs - now)
  for (const { name } of tooSoonForMs > 0 ? [] : next) {
    if (out.size + (out.has(name) ? 0 : 1) > max) continue
    granted.add(name)
    out.add(name)
  }
  return {
    granted: [...granted].toSorted(),
    waiting: next.filter((node) => !granted.has(node.name) && !node.leaves && !node.deleting),
    otherwiseOut: [...out].filter((name) => !granted.has(name)).toSorted(),
    max,
    of: nodes.length,
    tooSoonForMs,
  }
}

function sooner(a: FleetNode, b: FleetNode, since: (node: FleetNode) => number): number {
  const [left, right] = [since(a), since(b)]
  if (left !== right) return left < right ? -1 : 1
  return a.name < b.name ? -1 : 1
}
