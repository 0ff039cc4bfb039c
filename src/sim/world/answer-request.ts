import { present } from '../../ground/model/present.ts'
import { ApiFailure, badRequest, methodNotAllowed, notFound } from './api-failure.ts'
import type { ApiObject } from './api-object.ts'
import type { ApiReply, ApiRequest, ObjectReply } from './api-request.ts'
import { PODS } from './api-resource.ts'
import { bodyOf, createObject, mustTakeNew } from './create-object.ts'
import { deleteObject } from './delete-object.ts'
import { deleteOptions } from './delete-options.ts'
import { discoveryPage } from './discovery.ts'
import { evictPod } from './evict-pod.ts'
import { type NamedTarget, objectNamed } from './object-named.ts'
import { patchObject } from './patch-object.ts'
import { readCollection } from './read-collection.ts'
import { replaceObject } from './replace-object.ts'
import { parseTarget, type RequestTarget } from './request-target.ts'
import { answerReview } from './review-access.ts'
import { answerScale } from './scale.ts'
import type { World } from './world.ts'

/** The API server: one request, one answer. A failure of the API is an answer, too; a throw is a bug of the world. */
export function answerRequest(world: World, request: ApiRequest): ApiReply {
  try {
    return discoveryPage(request) ?? answerReview(request) ?? answered(world, request, parseTarget(request.path))
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    const wait = error.details?.retryAfterSeconds
    return { code: error.code, body: error.status, ...present({ retryAfterSeconds: wait }) }
  }
}

function answered(world: World, request: ApiRequest, target: RequestTarget): ApiReply {
  const { name } = target
  if (name === undefined) return answerCollection(world, request, target)
  const named = { ...target, name }
  switch (target.subresource) {
    case undefined:
      return answerObject(world, request, { ...named, statusOnly: false })
    case 'status':
      if (target.resource.status === undefined) throw notFound(target.resource, name)
      return answerObject(world, request, { ...named, statusOnly: true })
    case 'eviction':
      return answerEviction(world, request, named)
    case 'scale':
      return answerScale(world, request, named)
    default:
      throw notFound(target.resource, name)
  }
}

function answerCollection(world: World, request: ApiRequest, target: RequestTarget): ApiReply {
  if (request.method === 'GET') return readCollection(world, request, target)
  if (request.method !== 'POST') throw methodNotAllowed(request.method)
  const { resource, namespace } = target
  if (resource.namespaced && namespace === undefined) throw methodNotAllowed(request.method)
  const creation = {
    resource,
    body: request.body,
    dryRun: isDryRun(request),
    isChecked: true,
    ...present({ namespace }),
  }
  return { code: 201, body: createObject(world, creation) }
}

function answerObject(
  world: World,
  request: ApiRequest,
  target: NamedTarget & { readonly statusOnly: boolean },
): ObjectReply {
  const { resource, statusOnly } = target
  // Options that make no sense are refused before anything is looked for.
  const deletion = request.method === 'DELETE' ? deleteOptions(request) : {}
  const old = objectNamed(world, target)
  const dryRun = isDryRun(request)
  switch (request.method) {
    case 'GET':
      return { code: 200, body: old }
    case 'PUT': {
      const body = bodyOf(resource, request.body)
      checkName(target, body)
      return { code: 200, body: replaceObject(world, { resource, old, body, statusOnly, dryRun, isChecked: true }) }
    }
    case 'PATCH': {
      const { contentType = '', body: patch } = request
      return {
        code: 200,
        body: patchObject(world, { resource, old, contentType, patch, statusOnly, dryRun, isChecked: true }),
      }
    }
    case 'DELETE': {
      if (statusOnly) throw methodNotAllowed(request.method)
      const options = { ...(dryRun ? { dryRun } : {}), ...deletion }
      const { object, gone } = deleteObject(world, { resource, old, options })
      return { code: 200, body: gone && resource !== PODS ? deletedStatus(target, object) : object }
    }
    default:
      throw methodNotAllowed(request.method)
  }
}

function checkName({ resource, name, namespace }: NamedTarget, body: Readonly<Record<string, unknown>>): void {
  const metadata = (body.metadata ?? {}) as { readonly name?: string; readonly namespace?: string }
  if (metadata.name !== name) {
    throw badRequest(`the name of the object (${metadata.name ?? ''}) does not match the name on the URL (${name})`)
  }
  if (resource.namespaced && metadata.namespace !== undefined && metadata.namespace !== namespace) {
    throw badRequest(
      `the namespace of the object (${metadata.namespace}) does not match the namespace on the URL (${namespace ?? ''})`,
    )
  }
}

function answerEviction(world: World, request: ApiRequest, target: NamedTarget): ObjectReply {
  if (target.resource !== PODS) throw notFound(target.resource, target.name)
  if (request.method !== 'POST') throw methodNotAllowed(request.method)
  const { metadata = {}, deleteOptions: options } = (request.body ?? {}) as {
    readonly metadata?: { readonly name?: string }
    readonly deleteOptions?: unknown
  }
  if (metadata.name !== target.name) throw badRequest('name in URL does not match name in Eviction object')
  const pod = objectNamed(world, target)
  mustTakeNew(world, { resource: PODS, namespace: target.namespace ?? '', name: target.name })
  evictPod(world, { pod, options: { ...deleteOptions({ ...request, body: options }), ...dryRunOf(request, options) } })
  return { code: 201, body: SUCCESS }
}

/** An eviction may be tried by the query or by its own options. */
function dryRunOf(request: ApiRequest, options: unknown): { readonly dryRun: boolean } {
  const own = (options as { readonly dryRun?: readonly string[] } | undefined)?.dryRun ?? []
  return { dryRun: isDryRun(request) || own.includes('All') }
}

const isDryRun = ({ query }: ApiRequest): boolean => query.getAll('dryRun').includes('All')

const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }

const deletedStatus = ({ resource, name }: NamedTarget, { metadata }: ApiObject): unknown => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: {
    name,
    ...(resource.group === '' ? {} : { group: resource.group }),
    kind: resource.plural,
    uid: metadata.uid,
  },
})
