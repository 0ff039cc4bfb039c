import { NAMESPACES, NODES } from '../world/api-resource.ts'
import { labelTest } from '../world/label-selector.ts'
import type { Change } from '../world/store.ts'
import type { World } from '../world/world.ts'
import type { NodeObject } from './node-object.ts'
import type { PodIndex } from './pod-index.ts'
import { antiAffinityOf, isFinished, type PodAffinityTerm, type PodObject } from './pod-object.ts'

/**
 * Both are Unschedulable, and not UnschedulableAndUnresolvable as the other reasons are: the scheduler looks for pods to
 * preempt.
 */
export const APART_FROM_OTHERS = "node(s) didn't match pod anti-affinity rules"
export const OTHERS_APART = "node(s) didn't satisfy existing pods anti-affinity rules"

/**
 * Why a node does not take a pod because of pods that are placed already: first its own terms, then those of the others. A pod
 * that is being deleted counts until it is gone, a finished one does not
 * (pkg/scheduler/framework/plugins/interpodaffinity/filtering.go). undefined: no term concerns this pod.
 */
export function apartRule(
  world: World,
  pod: PodObject,
  pods: PodIndex,
): ((node: NodeObject) => string | undefined) | undefined {
  const own = antiAffinityOf(pod).flatMap((term) =>
    namespacesOf(world, pod, term)
      .flatMap((namespace) => pods.matching(namespace, term.labelSelector))
      .flatMap((other) => domainOf(world, other, term)),
  )
  const others = pods.placedWithAntiAffinity().flatMap((other) =>
    antiAffinityOf(other)
      .filter((term) => isMeant(world, { owner: other, term, target: pod }))
      .flatMap((term) => domainOf(world, other, term)),
  )
  if (own.length + others.length === 0) return undefined
  const [mine, theirs] = [new Set(own), new Set(others)]
  return ({ metadata: { labels = {} } }) => {
    const domains = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
    if (domains.some((domain) => mine.has(domain))) return APART_FROM_OTHERS
    return domains.some((domain) => theirs.has(domain)) ? OTHERS_APART : undefined
  }
}

/**
 * A placed pod was removed, finished or relabelled, and had kept a waiting pod away by a term of either
 * (interpodaffinity/plugin.go, isSchedulableAfterPodChange; before 1.36 it ignores the terms of the removed pod, and the
 * waiting pod is tried again after minutes).
 */
export function setsFree(world: World, { type, object, previous }: Change, waiting: PodObject): boolean {
  if (previous === undefined) return false
  const [now, before] = [object as PodObject, previous as PodObject]
  if ((before.spec.nodeName ?? '') === '' || isFinished(before)) return false
  if (type !== 'DELETED' && !isFinished(now) && now.metadata.labels === before.metadata.labels) return false
  const isKept = (owner: PodObject, target: PodObject): boolean =>
    antiAffinityOf(owner).some((term) => isMeant(world, { owner, term, target }))
  return isKept(waiting, before) || isKept(before, waiting)
}

/** The domain of the pod: the label of its node that the term names; a node without that label is no domain. */
function domainOf(world: World, pod: PodObject, { topologyKey }: PodAffinityTerm): readonly string[] {
  if ((pod.spec.nodeName ?? '') === '' || isFinished(pod)) return []
  const value = world.store.get(NODES, { name: pod.spec.nodeName ?? '' })?.metadata.labels?.[topologyKey]
  return value === undefined ? [] : [`${topologyKey}=${value}`]
}

interface Meaning {
  readonly owner: PodObject
  readonly term: PodAffinityTerm
  readonly target: PodObject
}

const isMeant = (world: World, { owner, term, target }: Meaning): boolean =>
  labelTest(term.labelSelector)(target.metadata.labels) &&
  namespacesOf(world, owner, term).includes(target.metadata.namespace ?? '')

/** The named namespaces and the selected ones; the pod's own where the term has neither. */
function namespacesOf(
  { store }: World,
  { metadata }: PodObject,
  { namespaces = [], namespaceSelector }: PodAffinityTerm,
): readonly string[] {
  if (namespaceSelector === undefined) return namespaces.length === 0 ? [metadata.namespace ?? ''] : namespaces
  const isSelected = labelTest(namespaceSelector)
  const selected = [...store.all(NAMESPACES)].filter((namespace) => isSelected(namespace.metadata.labels))
  return [...new Set([...namespaces, ...selected.map((namespace) => namespace.metadata.name)])]
}
