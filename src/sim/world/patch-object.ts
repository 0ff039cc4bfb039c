import { ApiFailure, badRequest, invalid, unsupportedMediaType } from './api-failure.ts'
import type { ApiObject } from './api-object.ts'
import type { ApiResource } from './api-resource.ts'
import { checkTypes } from './check-types.ts'
import { wrong } from './checks/cause.ts'
import { applyJsonPatch, PatchError } from './json-patch.ts'
import { isMap, mergePatch } from './merge-patch.ts'
import { replaceObject } from './replace-object.ts'
import { strategicMergePatch } from './strategic-merge-patch.ts'
import type { World } from './world.ts'

interface ObjectPatch {
  readonly resource: ApiResource
  readonly old: ApiObject
  readonly contentType: string
  readonly patch: unknown
  readonly statusOnly: boolean
  readonly dryRun?: boolean
  readonly isChecked?: boolean
}

const JSON_PATCH = 'application/json-patch+json'
export const MERGE_PATCH = 'application/merge-patch+json'
const STRATEGIC = 'application/strategic-merge-patch+json'

/** Changes an object as `PATCH` does. Throws ApiFailure 400, 409, 415 or 422. */
export function patchObject(world: World, { contentType, patch, ...target }: ObjectPatch): ApiObject {
  const body = patched(target.old, contentType, patch)
  if (!isMap(body)) throw badRequest('the patch leaves no object')
  const { uid, name, namespace } = isMap(body.metadata) ? body.metadata : {}
  if (target.resource.namespaced && namespace !== undefined && namespace !== target.old.metadata.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  if (name !== undefined && name !== target.old.metadata.name) {
    const own = target.old.metadata.name
    throw badRequest(`the name of the object (${String(name)}) does not match the name on the URL (${own})`)
  }
  if (uid !== undefined && uid !== target.old.metadata.uid) {
    const message = `Invalid value: ${JSON.stringify(uid)}: field is immutable`
    throw invalid(target.resource, target.old.metadata.name, [
      { reason: 'FieldValueInvalid', field: 'metadata.uid', message },
    ])
  }
  if (target.isChecked === true) checkPatchedTypes(target.resource, body)
  return replaceObject(world, { ...target, body })
}

/** A value of another type is wrong with the patch (apiserver, handlers/patch.go). */
function checkPatchedTypes(resource: ApiResource, body: Readonly<Record<string, unknown>>): void {
  try {
    checkTypes(resource.kind, body)
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    throw invalid(resource, '', [wrong('patch', null, error.message)])
  }
}

function patched(old: ApiObject, contentType: string, patch: unknown): unknown {
  switch (contentType) {
    case JSON_PATCH:
      if (!Array.isArray(patch)) throw badRequest('json: cannot unmarshal object into Go value of type jsonpatch.Patch')
      return jsonPatched(old, patch)
    case MERGE_PATCH:
      return mergePatch(old, patch)
    case STRATEGIC:
      return strategicMergePatch(old, patch)
    default:
      throw unsupportedMediaType(contentType, [JSON_PATCH, MERGE_PATCH, STRATEGIC])
  }
}

function jsonPatched(old: ApiObject, operations: readonly unknown[]): unknown {
  try {
    return applyJsonPatch(old, operations)
  } catch (error) {
    if (!(error instanceof PatchError)) throw error
    const message = 'the server rejected our request due to an error in our request'
    throw new ApiFailure({ code: 422, reason: 'Invalid', message, details: {} })
  }
}
