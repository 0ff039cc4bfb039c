import { REVISION_ANNOTATION, TEMPLATE_HASH_ANNOTATION } from '../ingress-keys.ts'
import { isJsonObject } from '../json-object.ts'
import type { OwnedObject } from '../owned-object.ts'
import { present } from '../present.ts'
import { canonicalJson } from './canonical-json.ts'
import type { WantedObject } from './wanted-object.ts'

type Json = Readonly<Record<string, unknown>>

/** RFC 7396, of the resourceVersion that was read: a write of another in between refuses it. */
type MergePatch = Json

/** Of a Deployment: they say which template it has, and are written together with it. */
const OF_TEMPLATE: readonly string[] = [REVISION_ANNOTATION, TEMPLATE_HASH_ANNOTATION]

/** Fields of a Deployment that are left out of an answer where they say this. */
const UNSAID: Json = { minReadySeconds: 0, paused: false }

/**
 * Whether a Deployment was made from the wanted template. The hash says it, and not the template: the API server writes
 * quantities its own way, fills in defaults and drops what it does not know, and webhooks change more. To go by what they
 * made of it would replace pods for ever.
 */
export const hasTemplateOf = (found: OwnedObject, wanted: WantedObject): boolean =>
  found.annotations[TEMPLATE_HASH_ANNOTATION] === wanted.metadata.annotations[TEMPLATE_HASH_ANNOTATION]

/**
 * What makes a Deployment the wanted one; undefined where it is. `keep` leaves the pods alone, whatever their template:
 * that is replaced by `replace` only, for a node that may lose its pods. The selector is immutable.
 */
export function deploymentPatch(
  found: OwnedObject,
  wanted: WantedObject,
  pods: 'keep' | 'replace',
): MergePatch | undefined {
  const isCurrent = hasTemplateOf(found, wanted)
  const replaces = pods === 'replace' && !isCurrent
  const [is, { template, selector: _, ...spec }] = [objectOr(found.content.spec), objectOr(wanted.spec)]
  const changed = {
    ...unlike(is, spec),
    ...(replaces ? present({ template: toBecome(objectOr(is.template), objectOr(template)) }) : {}),
  }
  return patchOf(found, {
    metadata: metadataPatch(found, wanted, replaces || isCurrent ? [] : OF_TEMPLATE),
    ...present({ spec: unlessEmpty(changed) }),
  })
}

/** What makes a DaemonSet the wanted one. Its pods are replaced beside each other, so at any time. */
export const daemonSetPatch = (found: OwnedObject, wanted: WantedObject): MergePatch | undefined =>
  deploymentPatch(found, wanted, 'replace')

/** All that policy/v1 has of a budget. What a later version fills in beside it is left as it is. */
const OF_GATE: readonly string[] = ['selector', 'maxUnavailable', 'minAvailable', 'unhealthyPodEvictionPolicy']

/** What opens or closes a gate, and takes from it what others wrote into its spec. */
export function gatePatch(found: OwnedObject, wanted: WantedObject): MergePatch | undefined {
  const is = Object.fromEntries(Object.entries(objectOr(found.content.spec)).filter(([key]) => OF_GATE.includes(key)))
  const spec = objectOr(wanted.spec)
  const { unhealthyPodEvictionPolicy: _, ...known } = spec
  // Servers before 1.26 do not know that field, and drop it.
  const isAsWanted = toBecome(is, 'unhealthyPodEvictionPolicy' in is ? spec : known) === undefined
  return patchOf(found, {
    metadata: metadataPatch(found, wanted),
    ...(isAsWanted ? {} : present({ spec: toBecome(is, spec) })),
  })
}

/** What a ControllerRevision holds is immutable; its number is not. */
export const revisionPatch = (found: OwnedObject, wanted: WantedObject): MergePatch | undefined =>
  patchOf(found, {
    metadata: metadataPatch(found, wanted),
    ...(found.content.revision === wanted.revision ? {} : { revision: wanted.revision }),
  })

function patchOf(found: OwnedObject, { metadata, ...content }: { readonly metadata: Json } & Json): Json | undefined {
  if (Object.keys(metadata).length + Object.keys(content).length === 0) return undefined
  return { ...content, metadata: { ...metadata, resourceVersion: found.resourceVersion } }
}

/** Labels, annotations and owners of others stay. */
function metadataPatch(found: OwnedObject, { metadata }: WantedObject, not: readonly string[] = []): Json {
  const annotations = Object.entries(metadata.annotations).filter(([key]) => !not.includes(key))
  const [ours] = metadata.ownerReferences
  const isOwned = found.owners.some((owner) => unlike(owner, ours) === undefined)
  return {
    ...present({
      labels: unlike(found.labels, metadata.labels),
      annotations: unlike(found.annotations, Object.fromEntries(annotations)),
    }),
    ...(isOwned ? {} : { ownerReferences: [...found.owners.filter(({ uid }) => uid !== ours.uid), ours] }),
  }
}

/** Of the wanted fields, those that are otherwise; what is there beside them stays. */
function unlike(found: Json, wanted: Json): Json | undefined {
  const fields = Object.entries(wanted).flatMap(([key, value]): [string, unknown][] => {
    const is = own(found, key) ?? own(UNSAID, key)
    if (!isJsonObject(value) || !isJsonObject(is)) return isSame(is, value) ? [] : [[key, value]]
    const inner = unlike(is, value)
    return inner === undefined ? [] : [[key, inner]]
  })
  return unlessEmpty(Object.fromEntries(fields))
}

/** As `unlike`, and takes away what is there beside the wanted fields. What the API server fills in, it fills in again. */
function toBecome(found: Json, wanted: Json): Json | undefined {
  const keys = [...new Set([...Object.keys(found), ...Object.keys(wanted)])]
  const fields = keys.flatMap((key): [string, unknown][] => {
    const [is, value] = [own(found, key) ?? null, own(wanted, key) ?? null]
    if (!isJsonObject(value) || !isJsonObject(is)) return isSame(is, value) ? [] : [[key, value]]
    const inner = toBecome(is, value)
    return inner === undefined ? [] : [[key, inner]]
  })
  return unlessEmpty(Object.fromEntries(fields))
}

/** Keys are foreign text: `constructor` may be one. */
const own = (fields: Json, key: string): unknown => (Object.hasOwn(fields, key) ? fields[key] : undefined)

const isSame = (a: unknown, b: unknown): boolean => a === b || canonicalJson(a) === canonicalJson(b)

const unlessEmpty = (fields: Json): Json | undefined => (Object.keys(fields).length === 0 ? undefined : fields)
const objectOr = (value: unknown): Json => (isJsonObject(value) ? value : {})
