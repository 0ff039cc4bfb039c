import type { OutLimit } from '../../ground/model/out-limit.ts'
import type { NodeView, Pass } from './pass.ts'

/** How many nodes an object may have out. A percentage is rounded down, and is at least one. */
export function nodeLimit(pass: Pass): number {
  const { strategy } = pass.s.object.spec
  return limitOf(
    strategy.kind === 'detach' ? strategy.maxUnavailableNodes : strategy.maxDegradedNodes,
    pass.eligible.length,
  )
}

const limitOf = (limit: OutLimit, nodes: number): number =>
  Math.max(1, limit.kind === 'count' ? limit.count : Math.floor((nodes * limit.percent) / 100))

/** If more than half of the nodes, and more than one, are disrupted, something other than maintenance is the cause. */
const MASS_SHARE = 0.5

/** The nodes that are not Ready or are cordoned, if they are so many that no more may be taken out. */
export function massDisruption(pass: Pass): readonly NodeView[] {
  const { eligible } = pass
  const hit = eligible.filter(({ node }) => node !== undefined && (node.ready !== 'True' || node.unschedulable))
  return hit.length > 1 && hit.length > eligible.length * MASS_SHARE ? hit : []
}
