import type { ApiObject, OwnerReference } from '../world/api-object.ts'
import { API_RESOURCES, type ApiResource, apiVersionOf, EVENTS, resourceName } from '../world/api-resource.ts'
import { deleteObject, ORPHANS_DEPENDENTS, type Propagation, WAITS_FOR_DEPENDENTS } from '../world/delete-object.ts'
import { replaceObject } from '../world/replace-object.ts'
import { type Change, keyOf } from '../world/store.ts'
import type { World } from '../world/world.ts'
import { ObjectIndex } from './object-index.ts'
import { isGoing } from './pod-object.ts'
import { type ActorParts, runReconciler } from './run-reconciler.ts'

const LAG_MS = 50
/** The garbage collector ignores events (pkg/controller/garbagecollector, DefaultIgnoredResources). */
const COLLECTED = API_RESOURCES.filter((resource) => resource !== EVENTS)

const BY_NAME: ReadonlyMap<string, ApiResource> = new Map(API_RESOURCES.map((each) => [resourceName(each), each]))
const BY_KIND: ReadonlyMap<string, ApiResource> = new Map(
  API_RESOURCES.map((each) => [`${apiVersionOf(each)} ${each.kind}`, each]),
)

/**
 * Deletes objects whose owners are gone, and serves both finalizers of a deletion: what waits for its dependents has them deleted
 * and goes after those that block it, what orphans them is taken out of their owners first (pkg/controller/garbagecollector:
 * garbagecollector.go, graph_builder.go). The returned function ends it.
 */
export function runOwnerGarbageCollector(parts: ActorParts): () => void {
  const collector = new Collector(parts.world)
  const end = runReconciler(parts, {
    watches: COLLECTED.map((resource) => [resource, (change) => collector.concerned(change)] as const),
    lagMs: LAG_MS,
    sync: (key) => {
      collector.collect(key)
      return undefined
    },
  })
  return () => {
    end()
    collector.end()
  }
}

interface Owned {
  readonly resource: ApiResource
  readonly object: ApiObject
}

class Collector {
  readonly #world: World
  readonly #byOwner: ReadonlyMap<ApiResource, ObjectIndex<ApiObject>>

  constructor(world: World) {
    this.#world = world
    this.#byOwner = new Map(COLLECTED.map((each) => [each, new ObjectIndex(world.store, each, ownerUids)]))
  }

  end(): void {
    for (const index of this.#byOwner.values()) index.end()
  }

  /** The keys that a change gives something to do (graph_builder.go, processGraphUpdates). */
  concerned({ type, resource, object, previous }: Change): readonly string[] {
    const key = keyFor(resource, object)
    if (type === 'DELETED') return [...this.#keysOf(object), ...waitingOwners(this.#world, object)]
    const began = isServed(object) && (previous === undefined || !isServed(previous))
    const hasOthers = previous?.metadata.ownerReferences !== object.metadata.ownerReferences
    return [
      ...(began ? [...this.#keysOf(object), key] : []),
      ...(hasOthers && ownerUids(object).length > 0 ? [key] : []),
      ...(hasOthers && previous !== undefined ? waitingOwners(this.#world, previous) : []),
    ]
  }

  collect(key: string): void {
    const found = this.#find(key)
    if (found === undefined) return
    const { resource, object } = found
    if (isGoing(object) && has(object, ORPHANS_DEPENDENTS)) this.#orphan(found)
    else if (isWaiting(object)) this.#await(found)
    else if (!isGoing(object)) this.#collectUnowned(resource, object)
  }

  #dependents({ metadata }: ApiObject): readonly Owned[] {
    return [...this.#byOwner].flatMap(([resource, index]) =>
      index.of(metadata.uid).map((object) => ({ resource, object })),
    )
  }

  #keysOf(owner: ApiObject): readonly string[] {
    return this.#dependents(owner).map(({ resource, object }) => keyFor(resource, object))
  }

  #find(key: string): Owned | undefined {
    const [kind = '', path = ''] = key.split(' ')
    const resource = BY_NAME.get(kind)
    const [first = '', second] = path.split('/')
    const named = second === undefined ? { name: first } : { namespace: first, name: second }
    const object = resource === undefined ? undefined : this.#world.store.get(resource, named)
    return resource === undefined || object === undefined ? undefined : { resource, object }
  }

  #orphan({ resource, object }: Owned): void {
    for (const each of this.#dependents(object)) this.#leave(each, [object.metadata.uid])
    this.#removeFinalizer({ resource, object }, ORPHANS_DEPENDENTS)
  }

  /** It goes when no dependent is left that blocks it. */
  #await({ resource, object }: Owned): void {
    const { uid } = object.metadata
    const blocking = this.#dependents(object).filter((each) => blocks(each.object, uid))
    if (blocking.length === 0) this.#removeFinalizer({ resource, object }, WAITS_FOR_DEPENDENTS)
    else for (const each of blocking) if (!isGoing(each.object)) this.#collectUnowned(each.resource, each.object)
  }

  /** As long as one owner stays, it stays; an owner that is gone or waits is taken from it (attemptToDeleteItem). */
  #collectUnowned(resource: ApiResource, object: ApiObject): void {
    const owners = object.metadata.ownerReferences ?? []
    if (owners.length === 0 || owners.some((owner) => isUnreachable(object, owner))) return
    const absent = owners.filter((owner) => isAbsent(this.#world, object, owner))
    const waiting = owners.filter((owner) => !absent.includes(owner) && isOwnerWaiting(this.#world, object, owner))
    const lost = [...absent, ...waiting].map(({ uid }) => uid)
    if (lost.length === 0) return
    if (lost.length < owners.length) this.#leave({ resource, object }, lost)
    else {
      const isForeground = waiting.length > 0 && this.#dependents(object).length > 0
      const propagation = isForeground ? 'Foreground' : propagationOf(object)
      deleteObject(this.#world, { resource, old: object, options: { propagation } })
    }
  }

  #leave({ resource, object }: Owned, uids: readonly string[]): void {
    const ownerReferences = (object.metadata.ownerReferences ?? []).filter(({ uid }) => !uids.includes(uid))
    this.#replace({ resource, object }, { ...object.metadata, ownerReferences })
  }

  #removeFinalizer({ resource, object }: Owned, finalizer: string): void {
    const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer)
    this.#replace({ resource, object }, { ...object.metadata, finalizers })
  }

  #replace({ resource, object }: Owned, metadata: object): void {
    replaceObject(this.#world, { resource, old: object, body: { ...object, metadata }, statusOnly: false })
  }
}

const ownerUids = ({ metadata }: ApiObject): readonly string[] => (metadata.ownerReferences ?? []).map(({ uid }) => uid)

const keyFor = (resource: ApiResource, { metadata }: ApiObject): string =>
  `${resourceName(resource)} ${keyOf(metadata)}`

const has = ({ metadata }: ApiObject, finalizer: string): boolean => metadata.finalizers?.includes(finalizer) === true

/** What the collector deletes, it deletes in the background, whatever its kind. */
const propagationOf = (object: ApiObject): Propagation => {
  if (has(object, ORPHANS_DEPENDENTS)) return 'Orphan'
  return has(object, WAITS_FOR_DEPENDENTS) ? 'Foreground' : 'Background'
}

const isWaiting = (object: ApiObject): boolean => isGoing(object) && has(object, WAITS_FOR_DEPENDENTS)

/** The collector has something to do before it can go. */
const isServed = (object: ApiObject): boolean =>
  isGoing(object) && (has(object, WAITS_FOR_DEPENDENTS) || has(object, ORPHANS_DEPENDENTS))

const blocks = ({ metadata }: ApiObject, uid: string): boolean =>
  metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true) === true

/** Owners of an object that may be free to go, now that it is gone or names them no more. */
const waitingOwners = (world: World, object: ApiObject): readonly string[] =>
  (object.metadata.ownerReferences ?? []).flatMap((owner) => {
    const found = ownerOf(world, object, owner)
    return found !== undefined && isWaiting(found.object) ? [keyFor(found.resource, found.object)] : []
  })

const isOwnerWaiting = (world: World, object: ApiObject, owner: OwnerReference): boolean => {
  const found = ownerOf(world, object, owner)
  return found !== undefined && isWaiting(found.object)
}

function ownerOf(world: World, { metadata }: ApiObject, owner: OwnerReference): Owned | undefined {
  const resource = BY_KIND.get(`${owner.apiVersion} ${owner.kind}`)
  if (resource === undefined) return undefined
  const { namespace } = metadata
  const place = resource.namespaced && namespace !== undefined ? { namespace } : {}
  const object = world.store.get(resource, { ...place, name: owner.name })
  return object?.metadata.uid === owner.uid ? { resource, object } : undefined
}

/** What has no namespace cannot name an owner in one: the collector leaves it alone for good (garbagecollector.go, isDangling). */
const isUnreachable = ({ metadata }: ApiObject, { apiVersion, kind }: OwnerReference): boolean =>
  metadata.namespace === undefined && BY_KIND.get(`${apiVersion} ${kind}`)?.namespaced === true

/** Of a kind that the world does not know, nothing can be said: it is taken for there. */
const isAbsent = (world: World, object: ApiObject, owner: OwnerReference): boolean =>
  BY_KIND.has(`${owner.apiVersion} ${owner.kind}`) && ownerOf(world, object, owner) === undefined
