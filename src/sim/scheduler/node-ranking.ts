import type { NodeObject } from '../actors/node-object.ts'
import type { PodIndex } from '../actors/pod-index.ts'
import { controllerOf, isFinished, isGoing, type PodObject, tolerates } from '../actors/pod-object.ts'

/**
 * The best node for a pod, of those that take it: the fewest taints of `PreferNoSchedule`, then the fewest pods that it should
 * be spread from, then the fewest of its own controller, then the fewest of all. undefined: there is none.
 */
export function bestNode(nodes: readonly NodeObject[], pod: PodObject, pods: PodIndex): NodeObject | undefined {
  if (nodes.length <= 1) return nodes[0]
  const spread = crowding(nodes, pod, pods)
  const uid = controllerOf(pod)?.uid
  const kin = byNode(uid === undefined ? [] : pods.ofController(uid))
  const scored = nodes.map((node) => {
    const { name } = node.metadata
    return { node, score: [reluctance(node, pod), spread(node), kin.get(name) ?? 0, pods.countOnNode(name)] }
  })
  return scored.reduce((best, other) => (isBetter(other, best) ? other : best)).node
}

interface Scored {
  readonly node: NodeObject
  readonly score: readonly number[]
}

function isBetter(a: Scored, b: Scored): boolean {
  for (const [i, score] of a.score.entries()) {
    const difference = score - (b.score[i] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return a.node.metadata.name < b.node.metadata.name
}

const reluctance = ({ spec }: NodeObject, pod: PodObject): number =>
  (spec?.taints ?? []).filter(
    (taint) => taint.effect === 'PreferNoSchedule' && !tolerates(pod.spec.tolerations ?? [], taint),
  ).length

function byNode(pods: readonly PodObject[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const pod of pods) {
    const { nodeName = '' } = pod.spec
    if (nodeName !== '' && !isGoing(pod) && !isFinished(pod)) counts.set(nodeName, (counts.get(nodeName) ?? 0) + 1)
  }
  return counts
}

/** Over all of its constraints, how many of the selected pods are in the same domain as a node. */
function crowding(nodes: readonly NodeObject[], pod: PodObject, pods: PodIndex): (node: NodeObject) => number {
  const constraints = (pod.spec.topologySpreadConstraints ?? []).map(({ topologyKey, labelSelector }) => {
    const counts = byNode(pods.matching(pod.metadata.namespace ?? '', labelSelector))
    const domains = new Map<string, number>()
    for (const node of nodes) {
      const domain = domainOf(node, topologyKey)
      domains.set(domain, (domains.get(domain) ?? 0) + (counts.get(node.metadata.name) ?? 0))
    }
    return { topologyKey, domains }
  })
  return (node) =>
    constraints.reduce((sum, { topologyKey, domains }) => sum + (domains.get(domainOf(node, topologyKey)) ?? 0), 0)
}

/** Every node has a host name, if only as its own name. */
const domainOf = ({ metadata }: NodeObject, key: string): string =>
  metadata.labels?.[key] ?? (key === 'kubernetes.io/hostname' ? metadata.name : '')
