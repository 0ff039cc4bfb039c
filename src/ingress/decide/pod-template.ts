import { INGRESS_LABEL, INGRESS_UID_LABEL, REVISION_HASH_LABEL } from '../../ground/model/ingress-keys.ts'
import { isJsonObject } from '../../ground/model/json-object.ts'
import type { NodeIdentity } from '../../ground/model/owned/node-names.ts'
import { daemonTolerations } from '../../ground/model/tolerations.ts'
import type { IngressDaemonSet, IngressSpec } from '../model/ingress-daemon-set.ts'
import { nodeMark } from './names.ts'

type Json = Readonly<Record<string, unknown>>

interface PodsOf {
  readonly identity: NodeIdentity
  readonly hash: string
}

/** The user's template, bound to the node. The user's labels stay, so that Services find the pods. */
export function podTemplate(ids: IngressDaemonSet, { identity, hash }: PodsOf): Json {
  const { object, labels } = ids.spec.template
  const ours = { [INGRESS_LABEL]: ids.name, [INGRESS_UID_LABEL]: ids.uid, ...nodeMark(identity) }
  return {
    ...object,
    metadata: {
      ...objectOr(object.metadata),
      // Last the selector: an adopted Deployment selects its pods by the UID of its first owner.
      labels: { ...labels, ...ours, [REVISION_HASH_LABEL]: hash, ...identity.selector },
    },
    spec: podSpec(ids.spec, identity.node),
  }
}

function podSpec({ template, placement }: IngressSpec, node: string): Json {
  const spec = objectOr(template.object.spec)
  const tolerations = [
    ...listOr(spec.tolerations),
    ...daemonTolerations(template.hostNetwork).filter(
      (toleration) => !listOr(spec.tolerations).some(isSame(toleration)),
    ),
  ]
  return placement === 'NodeName'
    ? { ...spec, tolerations, nodeName: node }
    : { ...spec, tolerations, affinity: boundTo(node, objectOr(spec.affinity)) }
}

const isSame =
  (ours: Json) =>
  (theirs: unknown): boolean =>
    isJsonObject(theirs) && ['key', 'operator', 'effect'].every((field) => theirs[field] === ours[field])

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'

/**
 * Adds the node to each term, since terms are alternatives. An affinity is used and not nodeName: the scheduler leaves a pod pending that
 * does not fit, while a kubelet would reject one pod after the other.
 */
function boundTo(node: string, affinity: Json): Json {
  const nodeAffinity = objectOr(affinity.nodeAffinity)
  const terms = listOr(objectOr(nodeAffinity[REQUIRED]).nodeSelectorTerms).map(objectOr)
  const here = { key: 'metadata.name', operator: 'In', values: [node] }
  const bound = terms.map((term) =>
    matchesNothing(term) ? term : { ...term, matchFields: [...listOr(term.matchFields), here] },
  )
  const nodeSelectorTerms = terms.length === 0 ? [{ matchFields: [here] }] : bound
  return { ...affinity, nodeAffinity: { ...nodeAffinity, [REQUIRED]: { nodeSelectorTerms } } }
}

/** A term without requirements matches no node; with ours in it, it would match this one. */
const matchesNothing = (term: Json): boolean =>
  listOr(term.matchExpressions).length + listOr(term.matchFields).length === 0

const objectOr = (value: unknown): Json => (isJsonObject(value) ? value : {})
const listOr = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
