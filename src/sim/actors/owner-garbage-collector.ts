import type { ApiObject, OwnerReference } from '../world/api-object.ts'
import { API_RESOURCES, type ApiResource, apiVersionOf, resourceName } from '../world/api-resource.ts'
import { deleteObject } from '../world/delete-object.ts'
import { keyOf } from '../world/store.ts'
import type { World } from '../world/world.ts'
import { ObjectIndex } from './object-index.ts'
import { isGoing } from './pod-object.ts'
import { type ActorParts, runReconciler } from './run-reconciler.ts'

const LAG_MS = 50

const BY_NAME: ReadonlyMap<string, ApiResource> = new Map(API_RESOURCES.map((each) => [resourceName(each), each]))
const BY_KIND: ReadonlyMap<string, ApiResource> = new Map(
  API_RESOURCES.map((each) => [`${apiVersionOf(each)} ${each.kind}`, each]),
)

/** Deletes objects whose owners are gone (Garbage Collection, "Owners and dependents"). The returned function ends it. */
export function runOwnerGarbageCollector(parts: ActorParts): () => void {
  const { world } = parts
  const owned = new Map(
    API_RESOURCES.map((resource) => [resource, new ObjectIndex(world.store, resource, ownerUids)] as const),
  )
  const dependents = (uid: string): readonly string[] =>
    [...owned].flatMap(([resource, index]) => index.of(uid).map((object) => keyFor(resource, object)))
  const end = runReconciler(parts, {
    watches: API_RESOURCES.map(
      (resource) =>
        [
          resource,
          ({ type, object }) => {
            if (type === 'DELETED') return dependents(object.metadata.uid)
            return type === 'ADDED' && ownerUids(object).length > 0 ? [keyFor(resource, object)] : []
          },
        ] as const,
    ),
    lagMs: LAG_MS,
    sync: (key) => {
      collect(world, key)
      return undefined
    },
  })
  return () => {
    end()
    for (const index of owned.values()) index.end()
  }
}

const ownerUids = ({ metadata }: ApiObject): readonly string[] => (metadata.ownerReferences ?? []).map(({ uid }) => uid)

const keyFor = (resource: ApiResource, { metadata }: ApiObject): string =>
  `${resourceName(resource)} ${keyOf(metadata)}`

function collect(world: World, key: string): void {
  const [kind = '', path = ''] = key.split(' ')
  const resource = BY_NAME.get(kind)
  if (resource === undefined) return
  const [first = '', second] = path.split('/')
  const named = second === undefined ? { name: first } : { namespace: first, name: second }
  const object = world.store.get(resource, named)
  if (object === undefined || isGoing(object)) return
  const owners = object.metadata.ownerReferences ?? []
  if (owners.length > 0 && owners.every((owner) => isAbsent(world, object, owner))) {
    deleteObject(world, { resource, old: object, options: {} })
  }
}

/** Of a kind that the world does not know, nothing can be said: it is taken for there. */
function isAbsent(world: World, { metadata }: ApiObject, owner: OwnerReference): boolean {
  const resource = BY_KIND.get(`${owner.apiVersion} ${owner.kind}`)
  if (resource === undefined) return false
  const { namespace } = metadata
  const place = resource.namespaced && namespace !== undefined ? { namespace } : {}
  return world.store.get(resource, { ...place, name: owner.name })?.metadata.uid !== owner.uid
}
