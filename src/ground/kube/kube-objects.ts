import { apiVersionOf } from '../model/object-kind.ts'
import { present } from '../model/present.ts'
import { WorldError } from '../model/world-error.ts'
import type { Change, Deletion, NewObject, Objects } from '../ports/objects.ts'
import type { ApiCall } from './api-call.ts'
import { askObject, findObject } from './api-object.ts'
import { type FollowParts, follow } from './follow.ts'
import { listPages } from './list-pages.ts'
import { objectPath, resourceOf } from './resources.ts'

/**
 * Objects of every kind that an API server serves. Each call needs the right of the same name for the kind, `patchStatus` that
 * for its status.
 */
export const kubeObjects = (parts: FollowParts): Objects => ({
  get: async (at, signal) => {
    const { resource, parse } = resourceOf(at)
    const call = { verb: 'get', resource, path: objectPath(at), ...present({ as: at.as }) } as const
    return findObject(parts.client, { call, parse }, signal)
  },
  list: async (selection, signal) =>
    (await listPages(parts, { ...resourceOf(selection), ...present({ as: selection.as }) }, signal)).objects,
  follow: async (selection, sink, signal) => follow(parts, { kind: resourceOf(selection), sink }, signal),
  create: async (object, signal) =>
    askObject(parts.client, { call: creationOf(object), parse: object.kind.parse }, signal),
  patch: async (change, signal) => askObject(parts.client, { call: patchOf(change), parse: change.kind.parse }, signal),
  patchStatus: async (change, signal) =>
    askObject(parts.client, { call: ofStatus(patchOf(change)), parse: change.kind.parse }, signal),
  delete: async (deletion, signal) => {
    try {
      await parts.client.ask(deletionOf(deletion), signal)
      return true
    } catch (error) {
      if (error instanceof WorldError && error.code === 'KUBE_NOT_FOUND') return false
      throw error
    }
  },
})

function creationOf<T>({ kind, namespace, object }: NewObject<T>): ApiCall {
  const { resource, path } = resourceOf({ kind, ...present({ namespace }) })
  const metadata = { ...object.metadata, ...present({ namespace }) }
  // A custom resource is not accepted without these two fields.
  const body = { ...object, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata }
  return { verb: 'create', resource, path, body }
}

function patchOf<T>({ patch, ...at }: Change<T>): ApiCall {
  return { verb: 'patch', resource: resourceOf(at).resource, path: objectPath(at), body: patch }
}

const ofStatus = ({ resource, path, ...call }: ApiCall): ApiCall => ({
  ...call,
  resource: `${resource}/status`,
  path: `${path}/status`,
})

function deletionOf<T>({ uid, resourceVersion, ...at }: Deletion<T>): ApiCall {
  const preconditions = { ...present({ uid, resourceVersion }) }
  return {
    verb: 'delete',
    resource: resourceOf(at).resource,
    path: objectPath(at),
    body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions },
  }
}
