import { awaitsAgent } from './node-state.ts'
import type { NodeView, Pass } from './pass.ts'

/** How many nodes are in each state now. */
export interface NodeCounts {
  /** Nodes that are to have pods. */
  readonly desired: number
  readonly current: number
  /** In service. */
  readonly ready: number
  /** All of their pods are of the wanted revision. */
  readonly updated: number
  readonly unavailable: number
  /** Asked to leave by this object. */
  readonly detached: number
  readonly stuck: number
}

export function nodeCounts(pass: Pass): NodeCounts {
  const { s, target, nodes, eligible } = pass
  const ready = eligible.filter((n) => n.isServing && !(n.op !== undefined && awaitsAgent(n, n.op))).length
  const count = (which: (n: NodeView) => boolean): number => nodes.filter(which).length
  return {
    desired: eligible.length,
    current: count(({ deployment }) => deployment !== undefined),
    ready,
    updated: count(
      ({ deployment }) => deployment?.revision === target && deployment.updated === s.object.spec.podsPerNode,
    ),
    unavailable: eligible.length - ready,
    detached: count(({ isAsked }) => isAsked),
    stuck: count(({ state }) => state === 'Stuck'),
  }
}
