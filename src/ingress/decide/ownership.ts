import { INGRESS_LABEL, INGRESS_NODE_LABEL, INGRESS_UID_LABEL } from '../../ground/model/ingress-keys.ts'
import type { NodeIdentity } from '../../ground/model/owned/node-names.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import { NODE_ANNOTATION } from '../../ground/model/slot.ts'
import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'
import { matchLabelsOf, nodeMark } from './names.ts'

/**
 * Whose an object is. An `orphan` may be adopted, after both it and the IngressDaemonSet were read once more. An object that
 * is `leaving` has the name only a little longer. What is `foreign` is never written to.
 */
type Ownership = { readonly kind: 'ours' | 'orphan' | 'leaving' } | { readonly kind: 'foreign'; readonly text: string }

type Words = Readonly<Record<string, string>>

/** `labels`: as the object of that name bears them where it is ours. */
export function ownershipOf(ids: IngressDaemonSet, found: OwnedObject, labels: Words): Ownership {
  const { controller } = found
  if (controller?.uid === ids.uid) return { kind: 'ours' }
  if (controller !== undefined) return foreign(`is controlled by ${controller.kind} ${controller.name}`)
  if (found.deleting) return { kind: 'leaving' }
  // An orphan bears the UID of its owner that is gone.
  const unlike = Object.entries(labels).find(([key, value]) => key !== INGRESS_UID_LABEL && found.labels[key] !== value)
  if (unlike !== undefined) return foreign(`has no controller, and not the label ${unlike.join('=')}`)
  return ids.deleting ? foreign(`has no controller, and ${ids.name} is being deleted`) : { kind: 'orphan' }
}

const foreign = (text: string) => ({ kind: 'foreign', text }) as const

interface ForNode<T> {
  readonly node: string
  readonly deployment: T
}

/** A node that has no Deployment, where the name of its Deployment is taken. */
interface NameTaken {
  readonly node: string
  /** `collision`: by our own Deployment of another node, so that names need another hash. */
  readonly kind: 'foreign' | 'leaving' | 'collision'
  /** Goes on from the name of the Deployment. */
  readonly text: string
  readonly name: string
}

export interface SortedDeployments<T> {
  /** By node; also of nodes that have no identity any more. */
  readonly ours: ReadonlyMap<string, T>
  /** Of these, and of the orphans: the same set while they have the same names. */
  readonly names: ReadonlySet<string>
  /** Ours as well, and needed by no node: a second one of its node, or one that does not say which node it is for. */
  readonly surplus: readonly T[]
  readonly orphans: readonly ForNode<T>[]
  readonly taken: readonly NameTaken[]
}

/** `identities`: of all nodes, as a new Deployment would be named. What is not ours and has no such name is left out. */
export function sortDeployments<T extends OwnedObject>(
  ids: IngressDaemonSet,
  found: readonly T[],
  identities: readonly NodeIdentity[],
): SortedDeployments<T> {
  const byName = Map.groupBy(identities, ({ name }) => name)
  const controlled = found
    .filter(({ controller }) => controller?.uid === ids.uid)
    .map((deployment) => ({ deployment, ...nodeOf(deployment, byName.get(deployment.name) ?? []) }))
    // Of two for one node, the one that has the name that a new one would have is kept.
    .toSorted((a, b) => Number(b.isNamed) - Number(a.isNamed) || (a.deployment.name < b.deployment.name ? -1 : 1))
  const ours = new Map<string, T>()
  const surplus: T[] = []
  for (const { node, deployment } of controlled) {
    if (node === undefined || ours.has(node)) surplus.push(deployment)
    else ours.set(node, deployment)
  }
  const lacking = identities.filter(({ node }) => !ours.has(node))
  const others = sortNames(ids, found, lacking)
  const named = [...ours.values(), ...others.orphans.map(({ deployment }) => deployment)]
  return { ours, names: new Set(named.map(({ name }) => name)), surplus, ...others }
}

/**
 * `before`, with what is new of some Deployments that are of the same owner and the same node as they were then: of thousands a few
 * change between two passes. Undefined: they have to be sorted.
 */
export function sortedAsBefore<T extends OwnedObject>(
  ids: IngressDaemonSet,
  before: { readonly found: readonly T[]; readonly sorted: SortedDeployments<T> },
  found: readonly T[],
): SortedDeployments<T> | undefined {
  const { sorted } = before
  if (before.found === found) return sorted
  if (before.found.length !== found.length) return undefined
  const changed = new Map<string, T>()
  for (const [at, now] of found.entries()) {
    const last = before.found[at]
    if (last === now) continue
    if (last === undefined || !isPlacedAlike(last, now)) return undefined
    if (now.controller?.uid !== ids.uid) continue
    const node = now.annotations[NODE_ANNOTATION]
    if (node === undefined || sorted.ours.get(node) !== last) return undefined
    changed.set(node, now)
  }
  return changed.size === 0 ? sorted : { ...sorted, ours: new Map([...sorted.ours, ...changed]) }
}

/** All that Deployments with a controller are sorted by. */
const isPlacedAlike = (last: OwnedObject, now: OwnedObject): boolean =>
  now.controller !== undefined &&
  now.controller.uid === last.controller?.uid &&
  now.name === last.name &&
  matchLabelsOf(now)[INGRESS_NODE_LABEL] === matchLabelsOf(last)[INGRESS_NODE_LABEL]

/** By its name and its selector, which is immutable; by the annotation, which is not, where these say of no node that it is its own. */
function nodeOf(
  deployment: OwnedObject,
  named: readonly NodeIdentity[],
): { readonly node: string | undefined; readonly isNamed: boolean } {
  const annotated = deployment.annotations[NODE_ANNOTATION]
  const label = matchLabelsOf(deployment)[INGRESS_NODE_LABEL]
  const fitting = named.filter(({ selector }) => selector[INGRESS_NODE_LABEL] === label).map(({ node }) => node)
  if (annotated !== undefined && fitting.includes(annotated)) return { node: annotated, isNamed: true }
  return { node: fitting[0] ?? annotated, isNamed: fitting.length > 0 }
}

function sortNames<T extends OwnedObject>(
  ids: IngressDaemonSet,
  found: readonly T[],
  lacking: readonly NodeIdentity[],
): Pick<SortedDeployments<T>, 'orphans' | 'taken'> {
  const byName = new Map(found.map((deployment) => [deployment.name, deployment]))
  const orphans: ForNode<T>[] = []
  const taken: NameTaken[] = []
  for (const identity of lacking) {
    const { node, name } = identity
    const deployment = byName.get(name)
    if (deployment === undefined) continue
    const why = whyTaken(ids, deployment, identity)
    if (why === undefined) orphans.push({ node, deployment })
    else taken.push({ node, name, ...why })
  }
  return { orphans, taken }
}

/** Undefined: it may be adopted. */
function whyTaken(
  ids: IngressDaemonSet,
  deployment: OwnedObject,
  identity: NodeIdentity,
): Pick<NameTaken, 'kind' | 'text'> | undefined {
  const ownership = ownershipOf(ids, deployment, { [INGRESS_LABEL]: ids.name, ...nodeMark(identity) })
  switch (ownership.kind) {
    case 'foreign':
      return ownership
    case 'leaving':
      return { kind: 'leaving', text: 'is being deleted, and has no controller' }
    case 'ours':
      return {
        kind: 'collision',
        text: `is for the node ${deployment.annotations[NODE_ANNOTATION]}, whose hash is the same`,
      }
    case 'orphan':
      return whyNotAdopted(deployment, identity)
  }
}

function whyNotAdopted(
  deployment: OwnedObject,
  { node }: NodeIdentity,
): { readonly kind: 'foreign'; readonly text: string } | undefined {
  const of = deployment.annotations[NODE_ANNOTATION]
  if (of === undefined) return foreign('has no controller, and does not say for which node it is')
  if (of !== node) return foreign(`has no controller, and is for the node ${of}`)
  return selectsAlone(deployment) ? undefined : foreign('has no controller, and may select pods that are not its own')
}

/** Its selector cannot be changed any more: it has to be one of ours. */
function selectsAlone(deployment: OwnedObject): boolean {
  const selector = matchLabelsOf(deployment)
  return INGRESS_UID_LABEL in selector && selector[INGRESS_NODE_LABEL] === deployment.labels[INGRESS_NODE_LABEL]
}
