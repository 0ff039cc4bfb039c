import { API_RESOURCES, type ApiResource, apiVersionOf } from './api-resource.ts'
import { createObject } from './create-object.ts'
import { MERGE_PATCH, patchObject } from './patch-object.ts'
import type { World } from './world.ts'

/** As `kubectl apply -f` of one object. An object without a namespace goes to `default`. Throws ApiFailure. */
export function applyManifest(world: World, manifest: object): void {
  const { apiVersion, kind, metadata } = manifest as {
    readonly apiVersion?: string
    readonly kind?: string
    readonly metadata?: { readonly name?: string; readonly namespace?: string }
  }
  const resource = BY_KIND.get(`${apiVersion} ${kind}`)
  if (resource === undefined) throw new Error(`the embedded cluster knows no ${kind} of ${apiVersion}`)
  const place = resource.namespaced ? { namespace: metadata?.namespace ?? 'default' } : {}
  const old = metadata?.name === undefined ? undefined : world.store.get(resource, { ...place, name: metadata.name })
  if (old === undefined) createObject(world, { resource, body: manifest, ...place })
  else patchObject(world, { resource, old, contentType: MERGE_PATCH, patch: manifest, statusOnly: false })
}

const BY_KIND: ReadonlyMap<string, ApiResource> = new Map(
  API_RESOURCES.map((resource) => [`${apiVersionOf(resource)} ${resource.kind}`, resource]),
)
