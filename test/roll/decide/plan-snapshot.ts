import type { makePlan } from '../../../src/roll/decide/plan/make-plan.ts'
import type { PlanSnapshot } from '../../../src/roll/decide/plan/plan-snapshot.ts'
import { anInstance, aServer, aSnapshot, aSpec, BOOT } from '../../support/roll-world.ts'

/** Three nodes behind one balancer that nothing is wrong with, but for what is changed. */
export function planSnapshot(
  change: Partial<PlanSnapshot> = {},
  cluster: Partial<PlanSnapshot['cluster']> = {},
): PlanSnapshot {
  return {
    clusterName: 'test',
    apiServer: { address: '10.0.0.100', port: 443 },
    spec: aSpec(),
    cluster: withOwnBoots({ ...aSnapshot().cluster, ...cluster }),
    services: [],
    instances: [anInstance([aServer('n1'), aServer('n2'), aServer('n3')])],
    inspections: [],
    forbidden: [],
    hostFindings: [],
    ...change,
  }
}

export const findingCodes = (plan: ReturnType<typeof makePlan>): readonly string[] =>
  plan.findings.map(({ severity, code }) => `${severity} ${code}`)

/** Each machine of the fixtures has one boot id, and no two machines of a plan have the same. */
const withOwnBoots = (cluster: PlanSnapshot['cluster']): PlanSnapshot['cluster'] => ({
  ...cluster,
  nodes: cluster.nodes.map((node) => (node.bootId === BOOT ? { ...node, bootId: `${BOOT}-${node.name}` } : node)),
})
