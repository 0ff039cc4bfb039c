import type { OutLimit } from '../../model/out-limit.ts'
import type { NodeView, Pass } from './pass.ts'

/** Nodes that are to have pods, or keep those that they have. */
export const eligibleNodes = ({ nodes }: Pass): readonly NodeView[] =>
  nodes.filter(
    ({ node, eligibility, deployment }) =>
      node !== undefined && (eligibility === 'Run' || (eligibility === 'Keep' && deployment !== undefined)),
  )

/** How many of its nodes an object may have out: a percentage is rounded down, and is one at least. */
export function nodeLimit(pass: Pass): number {
  const { strategy } = pass.s.object.spec
  return limitOf(
    strategy.kind === 'detach' ? strategy.maxUnavailableNodes : strategy.maxDegradedNodes,
    eligibleNodes(pass).length,
  )
}

const limitOf = (limit: OutLimit, nodes: number): number =>
  Math.max(1, limit.kind === 'count' ? limit.count : Math.floor((nodes * limit.percent) / 100))

/** More than half, and more than one: then something other than maintenance is going on. */
const MASS_SHARE = 0.5

/** Nodes that are not Ready or cordoned, where they are so many that nothing more is to be taken out. */
export function massDisruption(pass: Pass): readonly NodeView[] {
  const eligible = eligibleNodes(pass)
  const hit = eligible.filter(({ node }) => node !== undefined && (node.ready !== 'True' || node.unschedulable))
  return hit.length > 1 && hit.length > eligible.length * MASS_SHARE ? hit : []
}
