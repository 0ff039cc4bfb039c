import { INGRESS_NODE_LABEL, INGRESS_UID_LABEL } from '../../ground/model/ingress-keys.ts'
import type { Node } from '../../ground/model/node.ts'
import { type NodeIdentity, nodeLabel, salted, shortHash } from '../../ground/model/owned/node-names.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import { Untrusted } from '../../ground/model/untrusted.ts'

/** Whose the names are. */
interface Owner {
  readonly name: string
  readonly uid: string
}

/** The identity of a node without objects. */
export const newIdentity = (owner: Owner, node: string, collisionCount = 0): NodeIdentity => ({
  node,
  name: `${owner.name}-${shortHash(salted(node, collisionCount))}`,
  selector: { [INGRESS_UID_LABEL]: owner.uid, [INGRESS_NODE_LABEL]: nodeLabel(node, collisionCount) },
})

/** Node objects never change, and each pass needs their names. */
const IDENTITIES = new WeakMap<Node, Map<string, NodeIdentity>>()

/** The names for the objects of a node that has none yet. */
export function identityFor({ name, uid }: Owner, node: Node): NodeIdentity {
  const known = IDENTITIES.get(node) ?? new Map<string, NodeIdentity>()
  IDENTITIES.set(node, known)
  const identity = known.get(uid) ?? newIdentity({ name, uid }, node.name)
  known.set(uid, identity)
  return identity
}

/** The names for a node with a Deployment, which keeps its name and selector even if a new one would have others. */
export const identityOf = (deployment: OwnedObject, node: string): NodeIdentity => ({
  node,
  name: deployment.name,
  selector: matchLabelsOf(deployment),
})

/** The label of the node, on all that is for it. */
export const nodeMark = ({ node, selector }: NodeIdentity): Readonly<Record<string, string>> => ({
  [INGRESS_NODE_LABEL]: selector[INGRESS_NODE_LABEL] ?? nodeLabel(node),
})

/** Objects never change, and each pass needs the labels of all. */
const MATCH_LABELS = new WeakMap<OwnedObject, Readonly<Record<string, string>>>()

/** spec.selector.matchLabels of a Deployment or a PodDisruptionBudget. */
export function matchLabelsOf(object: OwnedObject): Readonly<Record<string, string>> {
  const known = MATCH_LABELS.get(object)
  if (known !== undefined) return known
  const labels = new Untrusted(object.content, object.name).at('spec').at('selector').at('matchLabels').textMap()
  MATCH_LABELS.set(object, labels)
  return labels
}

/** Of the ControllerRevision that holds a template. */
export const revisionName = (ingress: string, templateHash: string, collisionCount = 0): string =>
  `${ingress}-${collisionCount === 0 ? templateHash : shortHash(salted(templateHash, collisionCount))}`

/** Of the DaemonSet that answers health checks, where no agent does. No hash is so short, so no Deployment has this name. */
export const healthCheckerName = (ingress: string): string => `${ingress}-hc`
