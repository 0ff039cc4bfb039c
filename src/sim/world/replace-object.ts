import { isDeepStrictEqual } from 'node:util'
import { CHANGED, conflict, invalid } from './api-failure.ts'
import type { ApiObject, ObjectMeta } from './api-object.ts'
import type { ApiResource } from './api-resource.ts'
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
}

/**
 * Replaces an object as `PUT` and `PATCH` do. What changes nothing is not written; what was deleted and has lost its last
 * finalizer goes. Throws ApiFailure 409 where the body names another uid or version.
 */
export function replaceObject(
  world: World,
  { resource, old, body, statusOnly, dryRun = false }: Replacement,
): ApiObject {
  const given = isMap(body.metadata) ? body.metadata : {}
  checkPreconditions(resource, old, given)
  const next: ApiObject = {
    ...fieldsOf(resource, { old, body, statusOnly }),
    ...identityOf(old),
    metadata: metadataOf(old, given),
  }
  const isCounted = resource.counted && !isDeepStrictEqual(next.spec, old.spec)
  const counted: ApiObject = isCounted
    ? { ...next, metadata: { ...next.metadata, generation: (old.metadata.generation ?? 0) + 1 } }
    : next
  if (isDeepStrictEqual(counted, old)) return old
  if (dryRun) return counted
  if (isOver(counted.metadata)) return world.store.remove(resource, old.metadata) ?? counted
  return world.store.put(resource, counted)
}

/** Deleted, its grace over, and no finalizer holds it any more. */
const isOver = ({ deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] }: ObjectMeta): boolean =>
  deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0

const identityOf = ({ apiVersion, kind }: ApiObject) => ({ apiVersion, kind })

function checkPreconditions(
  resource: ApiResource,
  { metadata }: ApiObject,
  given: Readonly<Record<string, unknown>>,
): void {
  const { uid, resourceVersion } = given
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
}

function fieldsOf(
  resource: ApiResource,
  { old, body, statusOnly }: Pick<Replacement, 'old' | 'body' | 'statusOnly'>,
): Readonly<Record<string, unknown>> {
  if (statusOnly) return { ...old, status: body.status ?? {} }
  return resource.status === undefined ? body : { ...body, status: old.status }
}

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

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
