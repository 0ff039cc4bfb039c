import type { ApiObject } from '../world/api-object.ts'
import { API_RESOURCES, type ApiResource, NAMESPACES, PODS } from '../world/api-resource.ts'
import { deleteObject } from '../world/delete-object.ts'
import type { World } from '../world/world.ts'
import { podIndexOf } from './pod-index.ts'
import { isFinished, isGoing } from './pod-object.ts'
import { type ActorParts, runReconciler } from './run-reconciler.ts'

/** A namespace is left alone at first (pkg/controller/namespace/namespace_controller.go, namespaceDeletionGracePeriod). */
const LAG_MS = 5_000
/** What a finalizer holds is given this long (pkg/controller/namespace/deletion, finalizerEstimateSeconds). */
const FINALIZER_SECONDS = 15
const NAMESPACED = API_RESOURCES.filter(({ namespaced }) => namespaced)

interface NamespaceObject extends ApiObject {
  readonly spec?: { readonly finalizers?: readonly string[] }
}

/**
 * Empties a namespace that is being deleted, the pods before all else, and lets it go once nothing is left in it
 * (pkg/controller/namespace/deletion/namespaced_resources_deleter.go, Delete). The returned function ends it.
 */
export function runNamespaceController(parts: ActorParts): () => void {
  const { world } = parts
  return runReconciler(parts, {
    watches: [[NAMESPACES, ({ object }) => (isGoing(object) ? [object.metadata.name] : [])]],
    lagMs: LAG_MS,
    sync: (name) => {
      const namespace = world.store.get(NAMESPACES, { name }) as NamespaceObject | undefined
      return namespace !== undefined && isGoing(namespace) ? emptied(world, namespace) : undefined
    },
  })
}

/** Looks again after half of the time that is left to what remains. */
function emptied(world: World, namespace: NamespaceObject): number | undefined {
  const { name } = namespace.metadata
  const isHeld = (namespace.spec?.finalizers ?? []).length > 0
  const estimate = isHeld ? remainingSeconds(world, namespace) : 0
  if (estimate > 0) return 1_000 * (Math.floor(estimate / 2) + 1)
  const now = world.store.get(NAMESPACES, { name })
  if (now === undefined) return undefined
  const old = isHeld ? world.store.put(NAMESPACES, { ...now, spec: { ...(now.spec as object), finalizers: [] } }) : now
  if ((old.metadata.finalizers ?? []).length === 0) world.store.remove(NAMESPACES, old.metadata)
  return undefined
}

function remainingSeconds(world: World, namespace: NamespaceObject): number {
  const { name, deletionTimestamp = '' } = namespace.metadata
  const pods = podIndexOf(world).inNamespace(name)
  const grace = Math.max(0, ...pods.filter((pod) => !isFinished(pod)).map(graceOf))
  const isOver = world.clock.wallMs() - Date.parse(deletionTimestamp) >= grace * 1_000
  const left = clear(world, PODS, name)
  if (left > 0) return isOver ? FINALIZER_SECONDS : grace
  const others = NAMESPACED.filter((resource) => resource !== PODS)
  return others.reduce((sum, resource) => sum + clear(world, resource, name), 0) > 0 ? FINALIZER_SECONDS : 0
}

const graceOf = ({ spec }: { readonly spec: { readonly terminationGracePeriodSeconds?: number } }): number =>
  spec.terminationGracePeriodSeconds ?? 30

/** How many of a kind are left after all of them were deleted. */
function clear(world: World, resource: ApiResource, name: string): number {
  const inside = [...world.store.all(resource)].filter(({ metadata }) => metadata.namespace === name)
  return inside.filter((old) => !deleteObject(world, { resource, old, options: { propagation: 'Background' } }).gone)
    .length
}
