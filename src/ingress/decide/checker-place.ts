import { isJsonObject } from '../../ground/model/json-object.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import { Untrusted } from '../../ground/model/untrusted.ts'
import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'
import { eligibilityAt, type IngressSnapshot } from './snapshot.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * The nodes that still have pods of the object, and that its spec selects no more: they leave one by one, and until then their health ports
 * answer. They stay named until the last of them has left, since each other list replaces all checkers.
 */
export function namedNodes(
  { object, revisions, nodes }: IngressSnapshot,
  found: OwnedObject | undefined,
): readonly string[] {
  if (object.spec.healthChecker.image === undefined) return []
  const late = nodes.filter(
    (n) =>
      n.deployment !== undefined &&
      n.node !== undefined &&
      !n.isGoing &&
      eligibilityAt(n, revisions.desired) === 'Leave',
  )
  if (late.length === 0) return []
  return [...new Set([...late.map(({ name }) => name), ...namedIn(found)])].toSorted()
}

function namedIn(found: OwnedObject | undefined): readonly string[] {
  if (found === undefined) return []
  const pod = new Untrusted(found.content, found.name).at('spec').at('template').at('spec')
  const terms = pod.at('affinity').at('nodeAffinity').at(REQUIRED).at('nodeSelectorTerms').each()
  return terms
    .filter((term) => term.at('matchExpressions').absent)
    .flatMap((term) => term.at('matchFields').each())
    .flatMap((field) => field.at('values').each())
    .flatMap(({ raw }) => (typeof raw === 'string' ? raw : []))
}

/**
 * The nodes of the object, by what its template says of nodes, and those with these names. DaemonSets tolerate a cordon by themselves. A taint
 * that evicts the pods of the object evicts no checker, which says so. As important as the pods that are answered for, and pulled with the
 * same secrets.
 */
export function placeOf({ spec: { nodeSelector, template } }: IngressDaemonSet, names: readonly string[]): Json {
  const pod = objectOr(template.object.spec)
  const selector = { ...objectOr(pod.nodeSelector), ...nodeSelector }
  const required = objectOr(objectOr(pod.affinity).nodeAffinity)[REQUIRED]
  const selectsAll = Object.keys(selector).length === 0 && required === undefined
  return {
    ...(names.length > 0 && !selectsAll
      ? affinityOf(withNames(selector, { required: objectOr(required), names }))
      : { nodeSelector: selector, ...(required === undefined ? {} : affinityOf(required)) }),
    ...given(pod, ['priorityClassName', 'imagePullSecrets']),
    tolerations: [...listOr(pod.tolerations), { operator: 'Exists', effect: 'NoExecute' }],
  }
}

const affinityOf = (required: unknown): Json => ({ affinity: { nodeAffinity: { [REQUIRED]: required } } })

/** Terms are alternatives, so the selector goes into each. A term without requirements matches no node; with the selector it would match. */
function withNames(
  selector: Json,
  { required, names }: { readonly required: Json; readonly names: readonly string[] },
): Json {
  const selected = Object.entries(selector).map(([key, value]) => ({ key, operator: 'In', values: [value] }))
  const terms = listOr(required.nodeSelectorTerms).map(objectOr)
  const asBefore = (terms.length === 0 ? [{ matchExpressions: [] }] : terms.filter(matchesSome)).map((term) => ({
    ...term,
    matchExpressions: [...listOr(term.matchExpressions), ...selected],
  }))
  // One name a term: the API allows one value.
  const named = names.map((name) => ({ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }))
  return { nodeSelectorTerms: [...asBefore, ...named] }
}

const matchesSome = (term: Json): boolean => listOr(term.matchExpressions).length + listOr(term.matchFields).length > 0

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'

const given = (from: Json, keys: readonly string[]): Json =>
  Object.fromEntries(keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]]])))

const objectOr = (value: unknown): Json => (isJsonObject(value) ? value : {})
const listOr = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
