import { present } from '../../ground/model/present.ts'
import { withPriority } from './admit-priority.ts'
import { ApiFailure, alreadyExists, badRequest, invalid, notFound, terminating } from './api-failure.ts'
import type { ApiObject, ObjectMeta } from './api-object.ts'
import { type ApiResource, apiVersionOf, isCustom, NAMESPACES, PODS, VOLUMES } from './api-resource.ts'
import { checkObject, isBare } from './check-object.ts'
import { checkQuotas } from './check-quotas.ts'
import { checkTypes } from './check-types.ts'
import { wrong } from './checks/cause.ts'
import { withAdmitted, withDefaults } from './defaults.ts'
import { emptyStatus } from './empty-status.ts'
import { isMap } from './merge-patch.ts'
import { qosClassOf } from './qos-class.ts'
import { isEmpty } from './replace-object.ts'
import { newUid, stampOf, type World } from './world.ts'

interface Creation {
  readonly resource: ApiResource
  /** From the path. */
  readonly namespace?: string
  readonly body: unknown
  readonly dryRun?: boolean
  /** What a client asks for is checked; who builds the world, or acts in it, is trusted. */
  readonly isChecked?: boolean
}

/** What every kind may be called (apimachinery, api/validation/path/name.go). */
const PATH_SEGMENT = /^(?!\.{1,2}$)[^/%]+$/

/** Adds an object as `POST` does. Throws ApiFailure 400, 403 (a quota), 404 (no such namespace), 409 or 422. */
export function createObject(world: World, creation: Creation): ApiObject {
  const { resource, namespace, body, dryRun = false, isChecked = false } = creation
  const given = bodyOf(resource, body)
  if (isChecked) checkTypes(resource.kind, given)
  const metadata = isMap(given.metadata) ? given.metadata : {}
  const name = nameOf(world, resource, metadata)
  if (namespace !== undefined) checkNamespace(world, { resource, namespace, metadata })
  if (world.store.get(resource, { name, ...present({ namespace }) }) !== undefined) {
    throw alreadyExists(resource, name)
  }
  if (resource === PODS) checkQuotas(world, namespace ?? '', name)
  const admitted = resource === PODS ? withPriority(world, given, name) : given
  const object = withDefaults(resource, {
    ...withStatus(world, resource, admitted),
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: newMetadata(world, { resource, metadata, name, namespace }),
  })
  const whole = withAdmitted(resource, object, isChecked)
  if (isChecked) checkObject(resource, whole)
  if (dryRun) return whole
  if (typeof metadata.resourceVersion === 'string' && metadata.resourceVersion !== '') {
    // It comes from the storage, which knows no status of the API (apiserver, storage/errors.go).
    throw new ApiFailure({ code: 500, message: 'resourceVersion should not be set on objects to be created' })
  }
  return world.store.put(resource, whole)
}

export function bodyOf(resource: ApiResource, body: unknown): Readonly<Record<string, unknown>> {
  if (!isMap(body)) throw badRequest('the object provided is unrecognized (must be of type Object)')
  const { kind = resource.kind, apiVersion = apiVersionOf(resource) } = body
  if (kind !== resource.kind && isCustom(resource)) {
    const name = isMap(body.metadata) ? String(body.metadata.name ?? '') : ''
    throw invalid(resource, name, [wrong('kind', kind, `must be ${resource.kind}`)])
  }
  if (kind !== resource.kind || apiVersion !== apiVersionOf(resource)) {
    throw badRequest(
      `${String(kind)} in version "${String(apiVersion)}" cannot be handled as a ${resource.kind}: ` +
        `the object does not match the kind ${resource.kind} of ${apiVersionOf(resource)}`,
    )
  }
  return body
}

function nameOf(world: World, resource: ApiResource, metadata: Readonly<Record<string, unknown>>): string {
  const { name, generateName } = metadata
  if (typeof name === 'string' && name !== '') {
    if (!isBare(resource) || PATH_SEGMENT.test(name)) return name
    throw invalid(resource, name, [wrong('metadata.name', name, "may not be '.' or '..', nor contain '/' or '%'")])
  }
  if (typeof generateName === 'string' && generateName !== '')
    return `${generateName}${world.random.hex(3).slice(0, 5)}`
  const message = 'Required value: name or generateName is required'
  throw invalid(resource, '', [{ reason: 'FieldValueRequired', field: 'metadata.name', message }])
}

function checkNamespace(
  world: World,
  {
    resource,
    namespace,
    metadata,
  }: {
    readonly resource: ApiResource
    readonly namespace: string
    readonly metadata: Readonly<Record<string, unknown>>
  },
): void {
  const own = metadata.namespace
  if (typeof own === 'string' && own !== '' && own !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  mustTakeNew(world, { resource, namespace, name: String(metadata.name ?? '') })
}

interface Place {
  readonly resource: ApiResource
  readonly namespace: string
  readonly name: string
}

/** Throws ApiFailure 404 for a namespace that is not there, and 403 for one that is being deleted. */
export function mustTakeNew(world: World, { resource, namespace, name }: Place): void {
  const found = world.store.get(NAMESPACES, { name: namespace })
  if (found === undefined) throw notFound(NAMESPACES, namespace)
  if (found.metadata.deletionTimestamp !== undefined) throw terminating(resource, namespace, name)
}

interface Naming {
  readonly resource: ApiResource
  readonly metadata: Readonly<Record<string, unknown>>
  readonly name: string
  readonly namespace: string | undefined
}

function newMetadata(world: World, { resource, metadata, name, namespace }: Naming): ObjectMeta {
  const { generateName, labels, annotations, finalizers, ownerReferences } = metadata as Partial<ObjectMeta>
  return {
    name,
    ...present({ generateName, namespace }),
    uid: newUid(world),
    resourceVersion: '',
    ...(resource.counted ? { generation: 1 } : {}),
    creationTimestamp: stampOf(world.clock.wallMs()),
    ...Object.fromEntries(
      Object.entries({ labels, annotations, finalizers, ownerReferences }).filter(([, value]) => !isEmpty(value)),
    ),
  }
}

function withStatus(
  { clock }: World,
  resource: ApiResource,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  switch (resource.status) {
    case 'empty':
      return { ...given, status: emptyStatus(resource) }
    case 'none': {
      const { status: _status, ...rest } = given
      return rest
    }
    case 'pending':
      return {
        ...given,
        status: {
          phase: 'Pending',
          ...(resource === PODS ? { qosClass: qosClassOf(given.spec) } : {}),
          ...(resource === VOLUMES ? { lastPhaseTransitionTime: stampOf(clock.wallMs()) } : {}),
        },
      }
    default:
      return given
  }
}
