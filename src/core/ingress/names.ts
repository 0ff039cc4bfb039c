import { hash } from 'node:crypto'
import { INGRESS_NODE_LABEL, INGRESS_UID_LABEL } from '../../model/ingress-keys.ts'
import type { Node } from '../../model/node.ts'
import type { OwnedObject } from '../../model/owned-object.ts'
import { Untrusted } from '../../model/untrusted.ts'

/** RFC 4648 base32, in lower case as names want it. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567'
const HASH_LENGTH = 10

const LABEL_VALUE_MAX = 63
/** A label value that stands for a node and is not its name. */
const HASHED = 'h.'
const LOOKS_HASHED = new RegExp(`^h\\.[${LETTERS}]{${HASH_LENGTH}}$`)

/** The first 50 bits of SHA-256 in base32. Names in clusters are made with it: it never changes. */
export function shortHash(text: string): string {
  const first = hash('sha256', text, 'buffer').readBigUInt64BE() >> BigInt(64 - 5 * HASH_LENGTH)
  return Array.from({ length: HASH_LENGTH }, (_, i) => letterOf(first, HASH_LENGTH - 1 - i)).join('')
}

const letterOf = (bits: bigint, place: number): string => LETTERS.charAt(Number((bits >> BigInt(5 * place)) & 31n))

/** What is hashed for the same thing anew, after its hash turned out to be that of another: no name of a node has a slash. */
const salted = (text: string, collisionCount: number): string =>
  collisionCount === 0 ? text : `${text}/${collisionCount}`

/** The name and the selector that belong to one node and to no other. */
export interface NodeIdentity {
  readonly node: string
  /** Of its Deployment and of its PodDisruptionBudget: at most 41 characters, so that the names of pods keep all of it. */
  readonly name: string
  /** Which pods are its pods. The selector of a Deployment is immutable. */
  readonly selector: Readonly<Record<string, string>>
}

/** Whose the names are. */
interface Owner {
  readonly name: string
  readonly uid: string
}

/** Of a node for which there is nothing yet. */
export const newIdentity = (owner: Owner, node: string, collisionCount = 0): NodeIdentity => ({
  node,
  name: `${owner.name}-${shortHash(salted(node, collisionCount))}`,
  selector: { [INGRESS_UID_LABEL]: owner.uid, [INGRESS_NODE_LABEL]: nodeLabel(node, collisionCount) },
})

/** A Node never changes, and its names are asked for in each pass. */
const IDENTITIES = new WeakMap<Node, Map<string, NodeIdentity>>()

/** As the objects of a node are named where there are none yet. */
export function identityFor({ name, uid }: Owner, node: Node): NodeIdentity {
  const known = IDENTITIES.get(node) ?? new Map<string, NodeIdentity>()
  IDENTITIES.set(node, known)
  const identity = known.get(uid) ?? newIdentity({ name, uid }, node.name)
  known.set(uid, identity)
  return identity
}

/** Of a node whose Deployment is there: it keeps its name and its selector, also where a new one would have others. */
export const identityOf = (deployment: OwnedObject, node: string): NodeIdentity => ({
  node,
  name: deployment.name,
  selector: matchLabelsOf(deployment),
})

/** The label of the node, on all that is for it. */
export const nodeMark = ({ node, selector }: NodeIdentity): Readonly<Record<string, string>> => ({
  [INGRESS_NODE_LABEL]: selector[INGRESS_NODE_LABEL] ?? nodeLabel(node),
})

/** What was read never changes, and each pass asks for all of it. */
const MATCH_LABELS = new WeakMap<OwnedObject, Readonly<Record<string, string>>>()

/** spec.selector.matchLabels of a Deployment or a PodDisruptionBudget. */
export function matchLabelsOf(object: OwnedObject): Readonly<Record<string, string>> {
  const known = MATCH_LABELS.get(object)
  if (known !== undefined) return known
  const labels = new Untrusted(object.content, object.name).at('spec').at('selector').at('matchLabels').textMap()
  MATCH_LABELS.set(object, labels)
  return labels
}

/**
 * The name of the node where a label value may be as long. A hash otherwise, and also where the name of a node looks like
 * such a hash.
 */
export const nodeLabel = (node: string, collisionCount = 0): string =>
  node.length > LABEL_VALUE_MAX || LOOKS_HASHED.test(node)
    ? `${HASHED}${shortHash(salted(node, collisionCount))}`
    : node

/** Of the ControllerRevision that holds a template. */
export const revisionName = (ingress: string, templateHash: string, collisionCount = 0): string =>
  `${ingress}-${collisionCount === 0 ? templateHash : shortHash(salted(templateHash, collisionCount))}`

/** Of the DaemonSet that answers health checks on a port, where no agent does. */
export const healthDaemonSetName = (ingress: string, port: number): string => `${ingress}-hc-${port}`
