import type { NodeObject } from '../actors/node-object.ts'
import { affinityOf, antiAffinityOf, isFinished, type PodAffinityTerm, type PodObject } from '../actors/pod-object.ts'
import { NAMESPACES, NODES } from '../world/api-resource.ts'
import { labelTest } from '../world/label-selector.ts'
import type { World } from '../world/world.ts'
import { selectorOf } from './label-keys.ts'
import type { PlacedPods } from './placed-pods.ts'
import { finalRefusal, type NodeRule, refusal } from './refusal.ts'

const TO_OTHERS = "node(s) didn't match pod affinity rules"
const FROM_OTHERS = "node(s) didn't match pod anti-affinity rules"
const OTHERS_FROM_IT = "node(s) didn't satisfy existing pods anti-affinity rules"

/**
 * By the pods that are placed already: first those that the pod wants to be near, then those that it keeps away from, then
 * those that keep away from it. A pod that is being deleted counts until it is gone, a finished one does not
 * (pkg/scheduler/framework/plugins/interpodaffinity/filtering.go). undefined: no term concerns this pod.
 */
export function affinityRule(world: World, pod: PodObject, placed: PlacedPods): NodeRule | undefined {
  const isNear = nearRule(world, pod, placed)
  const own = antiAffinityOf(pod).flatMap((term) =>
    selectedBy(world, { owner: pod, term }, placed).flatMap((other) => domainOf(world, other, term)),
  )
  const others = placed.withAntiAffinity().flatMap((other) =>
    antiAffinityOf(other)
      .filter((term) => isMeant(world, { owner: other, term, target: pod }))
      .flatMap((term) => domainOf(world, other, term)),
  )
  if (isNear === undefined && own.length + others.length === 0) return undefined
  const [mine, theirs] = [new Set(own), new Set(others)]
  return (node) => {
    if (isNear?.(node) === false) return finalRefusal('InterPodAffinity', TO_OTHERS)
    const domains = Object.entries(node.metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`)
    if (domains.some((domain) => mine.has(domain))) return refusal('InterPodAffinity', FROM_OTHERS)
    return domains.some((domain) => theirs.has(domain)) ? refusal('InterPodAffinity', OTHERS_FROM_IT) : undefined
  }
}

/** One and the same pod has to match all terms. Where there is none anywhere, the first of its kind may begin. */
function nearRule(world: World, pod: PodObject, placed: PlacedPods): ((node: NodeObject) => boolean) | undefined {
  const terms = affinityOf(pod)
  const [first] = terms
  if (first === undefined) return undefined
  const near = selectedBy(world, { owner: pod, term: first }, placed).filter((target) =>
    isMeantByAll(world, { owner: pod, terms, target }),
  )
  const domains = new Set(near.flatMap((other) => terms.flatMap((term) => domainOf(world, other, term))))
  const mayBegin = domains.size === 0 && isMeantByAll(world, { owner: pod, terms, target: pod })
  return ({ metadata: { labels = {} } }) =>
    terms.every(({ topologyKey }) => labels[topologyKey] !== undefined) &&
    (mayBegin || terms.every(({ topologyKey }) => domains.has(`${topologyKey}=${labels[topologyKey]}`)))
}

interface Owned {
  readonly owner: PodObject
  readonly term: PodAffinityTerm
}

const selectedBy = (world: World, { owner, term }: Owned, placed: PlacedPods): readonly PodObject[] =>
  namespacesOf(world, owner, term).flatMap((namespace) => placed.matching(namespace, selectorOf(term, owner)))

/** The domain of the pod: the label of its node that the term names; a node without that label is no domain. */
function domainOf(world: World, pod: PodObject, { topologyKey }: PodAffinityTerm): readonly string[] {
  if ((pod.spec.nodeName ?? '') === '' || isFinished(pod)) return []
  const value = world.store.get(NODES, { name: pod.spec.nodeName ?? '' })?.metadata.labels?.[topologyKey]
  return value === undefined ? [] : [`${topologyKey}=${value}`]
}

const isMeant = (world: World, { owner, term, target }: Owned & { readonly target: PodObject }): boolean =>
  labelTest(selectorOf(term, owner))(target.metadata.labels) &&
  namespacesOf(world, owner, term).includes(target.metadata.namespace ?? '')

interface AllTerms {
  readonly owner: PodObject
  readonly terms: readonly PodAffinityTerm[]
  readonly target: PodObject
}

/** False without terms (podMatchesAllAffinityTerms). */
const isMeantByAll = (world: World, { owner, terms, target }: AllTerms): boolean =>
  terms.length > 0 && terms.every((term) => isMeant(world, { owner, term, target }))

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
