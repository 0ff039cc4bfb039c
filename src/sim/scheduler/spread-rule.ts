import type { NodeObject } from '../actors/node-object.ts'
import { isGoing, type PodObject, type SpreadConstraint } from '../actors/pod-object.ts'
import { labelTest, type WrittenSelector } from '../world/label-selector.ts'
import { selectorOf } from './label-keys.ts'
import { isRepelled, isWanted } from './node-rules.ts'
import type { PlacedPods } from './placed-pods.ts'
import { finalRefusal, type NodeRule, refusal } from './refusal.ts'

const REASON = "node(s) didn't match pod topology spread constraints"

interface Domains {
  readonly constraint: SpreadConstraint
  /** The pod itself is one of those that are spread. */
  readonly own: 0 | 1
  readonly counts: ReadonlyMap<string, number>
  readonly least: number
}

/**
 * By the spread that has to hold: with the pod, no domain may have more than `maxSkew` pods above the domain with the fewest.
 * Domains are those of nodes that have every key of all constraints (podtopologyspread/filtering.go). undefined: the pod has
 * no such constraint.
 */
export function spreadRule(pod: PodObject, placed: PlacedPods, nodes: readonly NodeObject[]): NodeRule | undefined {
  const constraints = hardConstraints(pod)
  if (constraints.length === 0) return undefined
  const counted = constraints.map((constraint) => domainsOf({ pod, placed, nodes, constraints }, constraint))
  return ({ metadata: { labels = {} } }) => {
    for (const { constraint, own, counts, least } of counted) {
      const domain = labels[constraint.topologyKey]
      if (domain === undefined) return finalRefusal('PodTopologySpread', `${REASON} (missing required label)`)
      if ((counts.get(domain) ?? 0) + own - least > constraint.maxSkew) return refusal('PodTopologySpread', REASON)
    }
    return undefined
  }
}

export const hardConstraints = ({ spec }: PodObject): readonly SpreadConstraint[] =>
  (spec.topologySpreadConstraints ?? []).filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule')

/** The node has the key of every constraint. */
export const hasEveryKey = ({ metadata: { labels = {} } }: NodeObject, all: readonly SpreadConstraint[]): boolean =>
  all.every(({ topologyKey }) => labels[topologyKey] !== undefined)

interface Spreading {
  readonly pod: PodObject
  readonly placed: PlacedPods
  readonly nodes: readonly NodeObject[]
  readonly constraints: readonly SpreadConstraint[]
}

function domainsOf({ pod, placed, nodes, constraints }: Spreading, constraint: SpreadConstraint): Domains {
  const selector = selectorOf(constraint, pod)
  const onNodes = countByNode(placed, pod.metadata.namespace ?? '', selector)
  const counts = new Map<string, number>()
  for (const node of nodes) {
    if (!hasEveryKey(node, constraints) || !isDomain(node, pod, constraint)) continue
    const domain = node.metadata.labels?.[constraint.topologyKey] ?? ''
    counts.set(domain, (counts.get(domain) ?? 0) + (onNodes.get(node.metadata.name) ?? 0))
  }
  const own = labelTest(selector)(pod.metadata.labels) ? 1 : 0
  const least = counts.size < (constraint.minDomains ?? 1) ? 0 : Math.min(...counts.values())
  return { constraint, own, counts, least }
}

/** A node that is cordoned or tainted is a domain unless the constraint honours taints (KEP-3094). */
const isDomain = (
  node: NodeObject,
  { spec }: PodObject,
  { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' }: SpreadConstraint,
): boolean =>
  (nodeAffinityPolicy !== 'Honor' || isWanted(node, spec)) && (nodeTaintsPolicy !== 'Honor' || !isRepelled(node, spec))

/**
 * Pods that are being deleted are not counted, and a selector that is empty counts none (common.go, countPodsMatchSelector). Neither holds for pods
 * that would come or go: they are added to the count and taken from it as they are (filtering.go, updateWithPod).
 */
function countByNode(
  placed: PlacedPods,
  namespace: string,
  selector: WrittenSelector | undefined,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  const count = ({ spec: { nodeName = '' } }: PodObject, by: 1 | -1): void => {
    counts.set(nodeName, (counts.get(nodeName) ?? 0) + by)
  }
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {}
  const { of: now = placed, without = [], beside = [] } = placed.change ?? {}
  if (Object.keys(matchLabels).length + matchExpressions.length > 0)
    for (const pod of now.matching(namespace, selector)) if (!isGoing(pod)) count(pod, 1)
  const isSelected = labelTest(selector)
  const isOurs = ({ metadata }: PodObject): boolean => metadata.namespace === namespace && isSelected(metadata.labels)
  for (const pod of beside) if (isOurs(pod)) count(pod, 1)
  for (const pod of without) if (isOurs(pod)) count(pod, -1)
  return counts
}
