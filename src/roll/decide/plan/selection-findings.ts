import type { Node } from '../../../ground/model/node.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { kubectl, say } from '../../../ground/model/sentence.ts'
import type { RollSpec } from '../../model/roll-spec.ts'
import { selectNodes } from './select-nodes.ts'

/** Names that are no node, and a choice of nodes that chooses none. `nodes`: all of the cluster. */
export function selectionFindings(spec: RollSpec['nodes'], nodes: readonly Node[]): readonly PlanFinding[] {
  const { nodes: chosen, unknown } = selectNodes(spec, nodes)
  if (unknown.length === 0) return chosen.length === 0 ? [noNodes(spec)] : []
  const known = nodes.map(({ name }) => name)
  return unknown.map((name) => unknownNode(name, known))
}

function noNodes({ selector }: RollSpec['nodes']): PlanFinding {
  const about = { severity: 'error', code: 'NoNodes' } as const
  if (selector === undefined) return { ...about, text: 'no node is selected', fix: 'name nodes, or use -l or --all' }
  const fix = say`correct the selector; ${kubectl`get nodes --show-labels`} shows the labels of every node`
  return { ...about, text: 'no node has the labels of the selector', fix }
}

function unknownNode(name: string, known: readonly string[]): PlanFinding {
  const shown = known.slice(0, 10).join(', ')
  return {
    severity: 'error',
    code: 'NodeUnknown',
    node: name,
    text: `there is no node ${name}`,
    fix: `the cluster has: ${shown}${known.length > 10 ? ', …' : ''}`,
  }
}
