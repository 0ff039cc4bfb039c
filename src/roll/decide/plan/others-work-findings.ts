import { firstOf } from '../../../ground/model/first-of.ts'
import { isControlPlane, type Node } from '../../../ground/model/node.ts'
import { CANDIDATE_TAINT, EXCLUDE_LABEL } from '../../../ground/model/node-reading.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import type { RollSpec } from '../../model/roll-spec.ts'
import { marksOfOthers } from '../others-work.ts'

/** Findings about marks of other programs on the nodes of the roll. The roll reads them and never changes them. */
export const othersWorkFindings = (
  nodes: readonly Node[],
  spec: Pick<RollSpec, 'balancers' | 'reboot'>,
): readonly PlanFinding[] => [
  ...nodes.flatMap((node) => inWork(node, spec)),
  ...gathered(nodes.filter(isCandidate), candidates),
  ...gathered(nodes.filter(isExcluded), excluded),
]

const inWork = (node: Node, spec: Pick<RollSpec, 'balancers' | 'reboot'>): readonly PlanFinding[] =>
  marksOfOthers(node, spec).map(({ code, text, next }) => ({
    severity: 'hold',
    code,
    node: node.name,
    text,
    fix: next ?? `wait until ${node.name} is gone, or leave it out of the roll`,
  }))

const gathered = (
  nodes: readonly Node[],
  finding: (names: readonly string[]) => Omit<PlanFinding, 'node' | 'nodes'>,
): readonly PlanFinding[] => {
  const names = nodes.map(({ name }) => name)
  const [first] = names
  if (first === undefined) return []
  return [{ ...finding(names), ...(names.length === 1 ? { node: first } : { nodes: names }) }]
}

const isCandidate = ({ taints }: Node): boolean => taints.some(({ key }) => key === CANDIDATE_TAINT)

const candidates = (names: readonly string[]): Omit<PlanFinding, 'node' | 'nodes'> => ({
  severity: 'warning',
  code: 'DeletionCandidate',
  text: `the Cluster Autoscaler may remove ${firstOf(names)} soon: ${names.length === 1 ? 'it has' : 'they have'} the taint ${CANDIDATE_TAINT}`,
  fix: 'leave such nodes out, or annotate them with cluster-autoscaler.kubernetes.io/scale-down-disabled=true for the time of the roll',
})

/** kubeadm's control planes bear the label for good. */
const isExcluded = (node: Node): boolean => EXCLUDE_LABEL in node.labels && !isControlPlane(node)

const excluded = (names: readonly string[]): Omit<PlanFinding, 'node' | 'nodes'> => ({
  severity: 'warning',
  code: 'NodeExcluded',
  text: `${firstOf(names)} ${names.length === 1 ? 'has' : 'have'} the label ${EXCLUDE_LABEL}: load balancers that go by it send nothing there, before the roll and after it`,
  fix: 'nothing, if that is intended: the roll keeps the label',
})
