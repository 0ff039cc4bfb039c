import { present } from '../../ground/model/present.ts'
import { badRequest, invalid, methodNotAllowed, notFound } from './api-failure.ts'
import type { ApiObject } from './api-object.ts'
import type { ApiRequest, ObjectReply } from './api-request.ts'
import { atLeast } from './checks/cause.ts'
import type { WrittenSelector } from './label-selector.ts'
import { isMap, mergePatch } from './merge-patch.ts'
import { type NamedTarget, objectNamed } from './object-named.ts'
import { replaceObject } from './replace-object.ts'
import type { World } from './world.ts'

type Scaled = ApiObject & {
  readonly spec: { readonly replicas?: number; readonly selector?: WrittenSelector }
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
  const replicas = isMap(wanted) && isMap(wanted.spec) ? (wanted.spec.replicas ?? 0) : undefined
  if (!Number.isSafeInteger(replicas)) throw badRequest('spec.replicas: a whole number')
  const causes = atLeast('spec.replicas', replicas, 0)
  if (causes.length > 0) throw invalid(SCALE, name, causes)
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
    body: scaleOf(replaceObject(world, { resource, old: object, body, statusOnly: false, isChecked: true }) as Scaled),
  }
}

const SCALE = { kind: 'Scale', group: 'autoscaling' }

const selectorText = (selector: WrittenSelector | undefined): string | undefined =>
  selector?.matchLabels === undefined
    ? undefined
    : Object.entries(selector.matchLabels)
        .map(([key, value]) => `${key}=${value}`)
        .toSorted()
        .join(',')

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
  spec: spec.replicas === 0 ? {} : { replicas: spec.replicas ?? 1 },
  status: { replicas: status?.replicas ?? 0, ...present({ selector: selectorText(spec.selector) }) },
})
