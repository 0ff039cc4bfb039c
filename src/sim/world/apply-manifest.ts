import { API_RESOURCES, type ApiResource, apiVersionOf } from './api-resource.ts'
import { createObject } from './create-object.ts'
import type { World } from './world.ts'

/** As `kubectl create -f` of one object; one that has no namespace goes to `default`. Throws ApiFailure. */
export function applyManifest(world: World, manifest: object): void {
  const { apiVersion, kind, metadata } = manifest as {
    readonly apiVersion?: string
    readonly kind?: string
    readonly metadata?: { readonly namespace?: string }
  }
  const resource = BY_KIND.get(`${apiVersion} ${kind}`)
  if (resource === undefined) throw new Error(`the embedded cluster knows no ${kind} of ${apiVersion}`)
  const namespace = metadata?.namespace ?? 'default'
  createObject(world, { resource, body: manifest, ...(resource.namespaced ? { namespace } : {}) })
}

const BY_KIND: ReadonlyMap<string, ApiResource> = new Map(
  API_RESOURCES.map((resource) => [`${apiVersionOf(resource)} ${resource.kind}`, resource]),
)
