import type { OutLimit } from '../../ground/model/out-limit.ts'
import type { NodeView, Pass } from './pass.ts'

/** How many of its nodes an object may have out: a percentage is rounded down, and is one at least. */
export function nodeLimit(pass: Pass): number {
  const { strategy } = pass.s.object.spec
  return limitOf(
    strategy.kind === 'detach' ? strategy.maxUnavailableNodes : strategy.maxDegradedNodes,
    pass.eligible.length,
  )
}

const limitOf = (limit: OutLimit, nodes: number): number =>
  Math.max(1, limit.kind === 'count' ? limit.count : Math.floor((nodes * limit.percent) / 100))

/** More than half, and more than one: then something other than maintenance is going on. */
const MASS_SHARE = 0.5

/** Nodes that are not Ready or cordoned, where they are so many that nothing more is to be taken out. */
export function massDisruption(pass: Pass): readonly NodeView[] {
  const { eligible } = pass
  const hit = eligible.filter(({ node }) => node !== undefined && (node.ready !== 'True' || node.unschedulable))
  return hit.length > 1 && hit.length > eligible.length * MASS_SHARE ? hit : []
}
