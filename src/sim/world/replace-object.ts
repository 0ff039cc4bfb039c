import { isDeepStrictEqual } from 'node:util'
import { CHANGED, conflict, invalid } from './api-failure.ts'
import type { ApiObject, ObjectMeta } from './api-object.ts'
import { type ApiResource, DAEMON_SETS, NAMESPACES, PODS } from './api-resource.ts'
import { checkObject } from './check-object.ts'
import { checkTypes } from './check-types.ts'
import { withDefaultTolerations } from './default-tolerations.ts'
import { withDefaults, withNameAsLabel, withTemplateCounted } from './defaults.ts'
import { finalizersOfNamespace } from './delete-object.ts'
import { isMap } from './merge-patch.ts'
import type { World } from './world.ts'

interface Replacement {
  readonly resource: ApiResource
  readonly old: ApiObject
  /** The whole object as it is to be; what only the server writes is taken from `old`. */
  readonly body: Readonly<Record<string, unknown>>
  /** Writes the status and leaves the spec, or the other way round. */
  readonly statusOnly: boolean
  readonly dryRun?: boolean
  /** As of a creation. */
  readonly isChecked?: boolean
}

/**
 * Replaces an object as `PUT` and `PATCH` do. What changes nothing is not written; what was deleted and has lost its last
 * finalizer goes. Throws ApiFailure 409 where the body names another uid or version.
 */
export function replaceObject(world: World, replacement: Replacement): ApiObject {
  const { resource, old, body, statusOnly, dryRun = false, isChecked = false } = replacement
  if (isChecked) checkTypes(resource.kind, body)
  const given = isMap(body.metadata) ? body.metadata : {}
  checkPreconditions(resource, old, given)
  const written: ApiObject = {
    ...fieldsOf(resource, { old, body, statusOnly }),
    ...identityOf(old),
    metadata: metadataOf(old, statusOnly ? { ...given, ...keptMeta(resource, old) } : given),
  }
  const next = statusOnly ? written : completed(replacement, written)
  const isCounted = !statusOnly && isCountedChange(resource, next, old)
  const counted: ApiObject = isCounted
    ? { ...next, metadata: { ...next.metadata, generation: (old.metadata.generation ?? 0) + 1 } }
    : next
  if (isDeepStrictEqual(counted, old)) return old
  if (isChecked) checkObject(resource, counted, old)
  if (dryRun) return counted
  if (!isOver(counted)) return world.store.put(resource, counted)
  world.store.remove(resource, old.metadata)
  return counted
}

/** With defaults, and what admission puts into a pod again that a client changes. */
function completed({ resource, old, isChecked = false }: Replacement, written: ApiObject): ApiObject {
  if (resource === NAMESPACES) return withNameAsLabel(written)
  const whole = withDefaults(resource, written, old)
  if (resource === DAEMON_SETS) return withTemplateCounted(whole, old)
  if (resource !== PODS || !isChecked || whole.spec === old.spec || !isMap(whole.spec)) return whole
  return { ...whole, spec: withDefaultTolerations(whole.spec) }
}

const isCountedChange = ({ counted }: ApiResource, next: ApiObject, old: ApiObject): boolean =>
  (counted !== false && !isDeepStrictEqual(next.spec, old.spec)) ||
  (counted === 'annotations' && !isDeepStrictEqual(next.metadata.annotations, old.metadata.annotations))

/** Deleted, its grace over, and no finalizer holds it any more. */
function isOver(object: ApiObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata
  const isHeld = finalizers.length > 0 || finalizersOfNamespace(object).length > 0
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && !isHeld
}

const identityOf = ({ apiVersion, kind }: ApiObject) => ({ apiVersion, kind })

function checkPreconditions(
  resource: ApiResource,
  { metadata }: ApiObject,
  given: Readonly<Record<string, unknown>>,
): void {
  const { uid, resourceVersion, deletionTimestamp } = given
  if (typeof uid === 'string' && uid !== '' && uid !== metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`
    throw conflict(resource, metadata.name, why)
  }
  if (typeof resourceVersion === 'string' && resourceVersion !== '') {
    if (resourceVersion !== metadata.resourceVersion) throw conflict(resource, metadata.name, CHANGED)
  } else if (resource.conditionalOnly) {
    const message = 'Invalid value: 0x0: must be specified for an update'
    const cause = { reason: 'FieldValueInvalid', field: 'metadata.resourceVersion', message }
    throw invalid(resource, metadata.name, [cause])
  }
  if (deletionTimestamp !== undefined && deletionTimestamp !== null && metadata.deletionTimestamp === undefined) {
    const message = `Invalid value: ${JSON.stringify(deletionTimestamp)}: field is immutable`
    const cause = { reason: 'FieldValueInvalid', field: 'metadata.deletionTimestamp', message }
    throw invalid(resource, metadata.name, [cause])
  }
}

function fieldsOf(
  resource: ApiResource,
  { old, body, statusOnly }: Pick<Replacement, 'old' | 'body' | 'statusOnly'>,
): Readonly<Record<string, unknown>> {
  if (statusOnly) return { ...old, status: body.status ?? {} }
  if (resource.status === undefined) return body
  const { status: _status, ...rest } = body
  return old.status === undefined ? rest : { ...body, status: old.status }
}

const keptMeta = ({ keptByStatus }: ApiResource, { metadata }: ApiObject): Readonly<Record<string, unknown>> =>
  Object.fromEntries(keptByStatus.map((name) => [name, metadata[name]]))

/** People write labels, annotations, finalizers and owners; the rest is the server's. */
function metadataOf({ metadata }: ApiObject, given: Readonly<Record<string, unknown>>): ObjectMeta {
  const { labels, annotations, finalizers, ownerReferences, ...own } = metadata
  const next = given as Partial<ObjectMeta>
  return {
    ...own,
    ...(isEmpty(next.labels) ? {} : { labels: next.labels }),
    ...(isEmpty(next.annotations) ? {} : { annotations: next.annotations }),
    ...(isEmpty(next.finalizers) ? {} : { finalizers: next.finalizers }),
    ...(isEmpty(next.ownerReferences) ? {} : { ownerReferences: next.ownerReferences }),
  } as ObjectMeta
}

/** The API stores no empty map and no empty list in metadata. */
export const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
