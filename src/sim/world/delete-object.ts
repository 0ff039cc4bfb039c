import { conflict } from './api-failure.ts'
import type { ApiObject } from './api-object.ts'
import { type ApiResource, PODS } from './api-resource.ts'
import { isMap } from './merge-patch.ts'
import { stampOf, type World } from './world.ts'

/** `metav1.DeleteOptions`, as far as the world goes by them. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly dryRun?: boolean
}

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

/** Deletes as `DELETE` does: a pod on a node gets its grace, what has finalizers is marked. Throws ApiFailure 409. */
export function deleteObject(world: World, { resource, old, options }: Deletion): Deleted {
  checkPreconditions(resource, old, options)
  const graceSeconds = graceOf(resource, old, options)
  const finalizers = old.metadata.finalizers ?? []
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = old.metadata
  const isLast = graceSeconds === 0 && finalizers.length === 0
  if (isLast && options.dryRun === true) return { object: old, gone: true }
  // Asked again, a deletion can only become shorter.
  const isShorter = deletionTimestamp === undefined || graceSeconds < deletionGracePeriodSeconds
  if (!isLast && !isShorter) return { object: old, gone: false }
  // What has a grace at all goes by two commits, also where the grace is none (registry/rest/delete.go, BeforeDelete).
  const isMarked = isShorter && (!isLast || resource === PODS)
  const marked = isMarked ? withMark(world, { resource, old, graceSeconds }) : old
  if (options.dryRun === true) return { object: marked, gone: false }
  const object = isMarked ? world.store.put(resource, marked) : old
  return isLast ? { object: world.store.remove(resource, old.metadata) ?? object, gone: true } : { object, gone: false }
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
  return Math.max(0, seconds)
}
