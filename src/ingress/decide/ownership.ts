import { INGRESS_LABEL, INGRESS_NODE_LABEL, INGRESS_UID_LABEL } from '../../ground/model/ingress-keys.ts'
import type { NodeIdentity } from '../../ground/model/owned/node-names.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import { NODE_ANNOTATION } from '../../ground/model/slot.ts'
import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'
import { matchLabelsOf, nodeMark } from './names.ts'

/**
 * Who owns an object. An `orphan` may be adopted, after the IngressDaemonSet was read once more. An object that is `leaving` has the name
 * only a little longer. A `foreign` object is never written to.
 */
type Ownership = { readonly kind: 'ours' | 'orphan' | 'leaving' } | { readonly kind: 'foreign'; readonly text: string }

type Words = Readonly<Record<string, string>>

/** `labels`: the labels that our object of that name has. */
export function ownershipOf(ids: IngressDaemonSet, found: OwnedObject, labels: Words): Ownership {
  const { controller } = found
  if (controller?.uid === ids.uid) return { kind: 'ours' }
  if (controller !== undefined) return foreign(`is controlled by ${controller.kind} ${controller.name}`)
  if (found.deleting) return { kind: 'leaving' }
  // An orphan has the UID of its deleted owner in its labels.
  const unlike = Object.entries(labels).find(([key, value]) => key !== INGRESS_UID_LABEL && found.labels[key] !== value)
  if (unlike !== undefined) return foreign(`has no controller, and not the label ${unlike.join('=')}`)
  return ids.deleting ? foreign(`has no controller, and ${ids.name} is being deleted`) : { kind: 'orphan' }
}

const foreign = (text: string) => ({ kind: 'foreign', text }) as const

interface ForNode<T> {
  readonly node: string
  readonly deployment: T
}

/** A node without a Deployment, whose name for it is taken. */
interface NameTaken {
  readonly node: string
  /** `collision`: our own Deployment of another node has the name. */
  readonly kind: 'foreign' | 'leaving' | 'collision'
  /** The end of a sentence that begins with the name of the Deployment. */
  readonly text: string
  readonly name: string
}

export interface SortedDeployments<T> {
  /** By node, also of nodes that are gone. */
  readonly ours: ReadonlyMap<string, T>
  /** The names of ours and of the orphans. The same set object while the names are the same. */
  readonly names: ReadonlySet<string>
  /** Our Deployments that no node needs: a second one of its node, or one that names no node. */
  readonly surplus: readonly T[]
  readonly orphans: readonly ForNode<T>[]
  readonly taken: readonly NameTaken[]
}

/**
 * Sorts Deployments by owner. `identities`: the names that new Deployments of all nodes would have. Foreign ones without such a name are
 * left out.
 */
export function sortDeployments<T extends OwnedObject>(
  ids: IngressDaemonSet,
  found: readonly T[],
  identities: readonly NodeIdentity[],
): SortedDeployments<T> {
  const byName = Map.groupBy(identities, ({ name }) => name)
  const controlled = found
    .filter(({ controller }) => controller?.uid === ids.uid)
    .map((deployment) => ({ deployment, ...nodeOf(deployment, byName.get(deployment.name) ?? []) }))
    // Of two for one node, the one with the name of a new one is kept.
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
 * `before` with a few changed Deployments replaced, if their owner and node are the same as then. Undefined: all have to be sorted again.
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

/** The fields by which Deployments with a controller are sorted. */
const isPlacedAlike = (last: OwnedObject, now: OwnedObject): boolean =>
  now.controller !== undefined &&
  now.controller.uid === last.controller?.uid &&
  now.name === last.name &&
  matchLabelsOf(now)[INGRESS_NODE_LABEL] === matchLabelsOf(last)[INGRESS_NODE_LABEL]

/** The node of a Deployment: by its name and its immutable selector, or else by its annotation, which may change. */
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

/** Undefined: the object may be adopted. */
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

/** The selector is one of ours. It cannot be changed any more. */
function selectsAlone(deployment: OwnedObject): boolean {
  const selector = matchLabelsOf(deployment)
  return INGRESS_UID_LABEL in selector && selector[INGRESS_NODE_LABEL] === deployment.labels[INGRESS_NODE_LABEL]
}
