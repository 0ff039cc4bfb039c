import { badRequest, methodNotAllowed, notFound } from './api-failure.ts'
import type { ApiObject } from './api-object.ts'
import type { ApiRequest, ObjectReply } from './api-request.ts'
import { isMap, mergePatch } from './merge-patch.ts'
import { type NamedTarget, objectNamed } from './object-named.ts'
import { replaceObject } from './replace-object.ts'
import type { World } from './world.ts'

type Scaled = ApiObject & {
  readonly spec: { readonly replicas?: number }
  readonly status?: { readonly replicas?: number }
}

/** The subresource `scale` (autoscaling/v1): what `kubectl scale` reads and writes. */
export function answerScale(world: World, request: ApiRequest, target: NamedTarget): ObjectReply {
  const { resource, name } = target
  if (!resource.subresources.includes('scale')) throw notFound(resource, name)
  const object = objectNamed(world, target) as Scaled
  if (request.method === 'GET') return { code: 200, body: scaleOf(object) }
  if (request.method !== 'PUT' && request.method !== 'PATCH') throw methodNotAllowed(request.method)
  const wanted = request.method === 'PUT' ? request.body : mergePatch(scaleOf(object), request.body)
  const replicas = isMap(wanted) && isMap(wanted.spec) ? wanted.spec.replicas : undefined
  if (!Number.isSafeInteger(replicas) || Number(replicas) < 0)
    throw badRequest('spec.replicas: a whole number, 0 or more')
  const version = isMap(wanted) && isMap(wanted.metadata) ? wanted.metadata.resourceVersion : undefined
  const body = {
    ...object,
    metadata: {
      ...object.metadata,
      ...(typeof version === 'string' && version !== '' ? { resourceVersion: version } : {}),
    },
    spec: { ...object.spec, replicas },
  }
  return {
    code: 200,
    body: scaleOf(replaceObject(world, { resource, old: object, body, statusOnly: false }) as Scaled),
  }
}

const scaleOf = ({ metadata, spec, status }: Scaled): Readonly<Record<string, unknown>> => ({
  kind: 'Scale',
  apiVersion: 'autoscaling/v1',
  metadata: {
    name: metadata.name,
    namespace: metadata.namespace,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    creationTimestamp: metadata.creationTimestamp,
  },
  spec: { replicas: spec.replicas ?? 1 },
  status: { replicas: status?.replicas ?? 0 },
})
