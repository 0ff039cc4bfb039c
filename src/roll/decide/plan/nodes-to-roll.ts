import type { Node } from '../../../ground/model/node.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import type { NodeWhy } from '../../model/roll-plan.ts'
import { ownNodeLast } from '../own-pod.ts'
import type { PlanSnapshot } from './plan-snapshot.ts'
import { selectNodes } from './select-nodes.ts'

interface NodesToRoll {
  /** In the order of the roll, with those of which it is not known whether they need a reboot. */
  readonly nodes: readonly Node[]
  readonly skipped: readonly NodeWhy[]
  readonly findings: readonly PlanFinding[]
}

/** The chosen nodes, without those that need no reboot. */
export function nodesToRoll({
  spec,
  cluster,
  needs,
  ownPod,
}: Pick<PlanSnapshot, 'spec' | 'cluster' | 'needs' | 'ownPod'>): NodesToRoll {
  const { nodes: chosen } = selectNodes(spec.nodes, cluster.nodes)
  const skipped = chosen.flatMap(({ name }): readonly NodeWhy[] => {
    const need = needs?.get(name)
    return need?.kind === 'none' ? [{ node: name, why: need.why }] : []
  })
  const left = new Set(skipped.map(({ node }) => node))
  const byName = new Map(chosen.flatMap((node) => (left.has(node.name) ? [] : [[node.name, node] as const])))
  const nodes = ownNodeLast([...byName.keys()], ownPod).flatMap((name) => byName.get(name) ?? [])
  const findings = nodes.flatMap(({ name }) => {
    const need = needs?.get(name)
    return need?.kind === 'unknown' ? need.findings : []
  })
  return { nodes, skipped, findings }
}
