import { conflict } from './api-failure.ts'
import type { ApiObject } from './api-object.ts'
import { type ApiResource, EVENTS, NAMESPACES, PODS } from './api-resource.ts'
import { isMap } from './merge-patch.ts'
import { stampOf, type World } from './world.ts'

/** `metav1.DeleteOptions`, as far as the world goes by them. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly dryRun?: boolean
  /** What becomes of what it owns; where it is not said, the kind decides. */
  readonly propagation?: Propagation
}

export type Propagation = 'Foreground' | 'Background' | 'Orphan'

/** The garbage collector takes it away once nothing blocks any more, or once no dependent names the object. */
export const WAITS_FOR_DEPENDENTS = 'foregroundDeletion'
export const ORPHANS_DEPENDENTS = 'orphan'

interface Deletion {
  readonly resource: ApiResource
  readonly old: ApiObject
  readonly options: DeleteOptions
}

interface Deleted {
  readonly object: ApiObject
  /** False: it is marked, and goes when its grace is over and its finalizers are gone. */
  readonly gone: boolean
}

/**
 * Deletes as `DELETE` does: a pod on a node gets its grace, what has finalizers is marked (apiserver,
 * registry/generic/registry/store.go, Delete, updateForGracefulDeletionAndFinalizers). Throws ApiFailure 409.
 */
export function deleteObject(world: World, { resource, old, options }: Deletion): Deleted {
  checkPreconditions(resource, old, options)
  if (resource === NAMESPACES && finalizersOfNamespace(old).length > 0) return terminated(world, old, options)
  const graceSeconds = graceOf(resource, old, options)
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = old.metadata
  // Asked again, the deletion of a pod can only become shorter; then its finalizers are what they were.
  const isShorter = deletionTimestamp === undefined || graceSeconds < deletionGracePeriodSeconds
  if (resource === PODS && !isShorter && !isAtOnce(old, graceSeconds)) return { object: old, gone: false }
  const collected = withCollector(resource, old, options)
  const isLast = isAtOnce(collected, graceSeconds)
  if (isLast && options.dryRun === true) return { object: old, gone: true }
  // What has a grace at all goes by two commits, also where the grace is none (registry/rest/delete.go, BeforeDelete).
  const isMarked = isShorter && (!isLast || resource === PODS)
  const marked = isMarked ? withMark(world, { resource, old: collected, graceSeconds }) : collected
  if (options.dryRun === true) return { object: marked, gone: false }
  const object = marked === old ? old : world.store.put(resource, marked)
  return isLast ? { object: world.store.remove(resource, old.metadata) ?? object, gone: true } : { object, gone: false }
}

/** A namespace stays until its controller has emptied it. */
export const finalizersOfNamespace = ({ spec }: ApiObject): readonly unknown[] =>
  isMap(spec) && Array.isArray(spec.finalizers) ? spec.finalizers : []

/** A namespace is emptied before it goes (pkg/registry/core/namespace/storage/storage.go, Delete). */
function terminated(world: World, old: ApiObject, options: DeleteOptions): Deleted {
  const { deletionTimestamp } = old.metadata
  if (deletionTimestamp !== undefined) return { object: old, gone: false }
  const marked = withCollector(NAMESPACES, old, options)
  const metadata = { ...marked.metadata, deletionTimestamp: stampOf(world.clock.wallMs()) }
  const object = { ...marked, metadata, status: { ...(old.status as object), phase: 'Terminating' } }
  return { object: options.dryRun === true ? object : world.store.put(NAMESPACES, object), gone: false }
}

const isAtOnce = ({ metadata }: ApiObject, graceSeconds: number): boolean =>
  graceSeconds === 0 && (metadata.finalizers ?? []).length === 0

/** With the finalizer that its propagation needs, and no other of the two (the same, deletionFinalizersForGarbageCollection). */
function withCollector(resource: ApiResource, old: ApiObject, { propagation }: DeleteOptions): ApiObject {
  // An event is no part of any of it (pkg/registry/core/event/strategy.go, DefaultGarbageCollectionPolicy).
  if (resource === EVENTS) return old
  const had = old.metadata.finalizers ?? []
  const own = had.filter((name) => name !== WAITS_FOR_DEPENDENTS && name !== ORPHANS_DEPENDENTS)
  const wanted = propagation ?? propagationBy(resource, had)
  const finalizers = [
    ...own,
    ...(wanted === 'Orphan' ? [ORPHANS_DEPENDENTS] : []),
    ...(wanted === 'Foreground' ? [WAITS_FOR_DEPENDENTS] : []),
  ]
  if (finalizers.length === had.length && finalizers.every((name) => had.includes(name))) return old
  const { finalizers: _had, ...metadata } = old.metadata
  return { ...old, metadata: { ...metadata, ...(finalizers.length === 0 ? {} : { finalizers }) } }
}

function propagationBy({ orphans }: ApiResource, finalizers: readonly string[]): Propagation {
  if (finalizers.includes(ORPHANS_DEPENDENTS)) return 'Orphan'
  if (finalizers.includes(WAITS_FOR_DEPENDENTS)) return 'Foreground'
  return orphans ? 'Orphan' : 'Background'
}

interface Mark {
  readonly resource: ApiResource
  readonly old: ApiObject
  readonly graceSeconds: number
}

/** A grace that becomes shorter counts from when the first one began, but ends no earlier than now. */
function withMark(world: World, { resource, old, graceSeconds }: Mark): ApiObject {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, generation = 0 } = old.metadata
  const nowMs = world.clock.wallMs()
  const begunMs =
    deletionTimestamp === undefined ? nowMs : Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000
  return {
    ...old,
    metadata: {
      ...old.metadata,
      ...(resource.counted && deletionTimestamp === undefined ? { generation: generation + 1 } : {}),
      deletionTimestamp: stampOf(Math.max(nowMs, begunMs + graceSeconds * 1000)),
      deletionGracePeriodSeconds: graceSeconds,
    },
  }
}

function checkPreconditions(
  resource: ApiResource,
  { metadata }: ApiObject,
  { preconditions = {} }: DeleteOptions,
): void {
  const { uid, resourceVersion } = preconditions
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`
    throw conflict(resource, metadata.name, why)
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${metadata.resourceVersion}`
    throw conflict(resource, metadata.name, why)
  }
}

/** Only a pod that a kubelet runs has anything to end in order (pkg/registry/core/pod/strategy.go, CheckGracefulDelete). */
function graceOf(resource: ApiResource, { spec, status }: ApiObject, { gracePeriodSeconds }: DeleteOptions): number {
  if (resource !== PODS || !isMap(spec)) return 0
  const phase = isMap(status) ? status.phase : undefined
  const isRun = typeof spec.nodeName === 'string' && spec.nodeName !== ''
  if (!isRun || phase === 'Succeeded' || phase === 'Failed') return 0
  const own = spec.terminationGracePeriodSeconds
  const seconds = gracePeriodSeconds ?? (typeof own === 'number' ? own : 30)
  // A negative one is a second (registry/rest/delete.go, BeforeDelete).
  return seconds < 0 ? 1 : seconds
}
