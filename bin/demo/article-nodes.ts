import type { NodeSpec } from '../../src/sim/machines/node-spec.ts'

const ROLE = 'node-role.kubernetes.io'
const EACH = [1, 2, 3]

/** The article's cluster: the control plane carries the ingress, the workers everything else. */
export const INGRESS_NODES = EACH.map((i) => `cp-${i}`)
export const WORKERS = EACH.map((i) => `w-${i}`)

export const ARTICLE_NODES: readonly Omit<NodeSpec, 'address'>[] = [
  ...INGRESS_NODES.map((name) => ({
    name,
    labels: { [`${ROLE}/control-plane`]: '', [`${ROLE}/ingress-controller`]: '' },
    taints: [{ key: `${ROLE}/control-plane`, effect: 'NoSchedule' as const }],
  })),
  ...WORKERS.map((name) => ({ name, labels: { [`${ROLE}/worker`]: '' } })),
]
