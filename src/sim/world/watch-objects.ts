import { expired } from './api-failure.ts'
import type { ApiObject } from './api-object.ts'
import { type ApiResource, apiVersionOf } from './api-resource.ts'
import { objectsAt } from './objects-at.ts'
import type { Change } from './store.ts'
import type { World } from './world.ts'

export interface Watching {
  readonly resource: ApiResource
  readonly namespace?: string
  readonly matches: (object: ApiObject) => boolean
  /** Absent or 0: begins with all that is there. */
  readonly fromRevision?: number
  /** A bookmark that says so ends what it begins with (KEP-3157, `sendInitialEvents`). */
  readonly marksInitialEnd?: boolean
}

type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'

export interface WatchEvent {
  readonly type: WatchEventType
  readonly object: unknown
}

/**
 * Tells of every change of a kind after a revision, in the order of commits; the returned function ends it. What leaves
 * the selector is told as deleted, what enters it as added. Where the past is forgotten the only event is the 410: an API
 * server that took a watch answers in events alone (cacher.go, newErrWatcher).
 */
export function watchObjects(world: World, watching: Watching, sink: (event: WatchEvent) => void): () => void {
  const { store, watches } = world
  const { resource, fromRevision = 0 } = watching
  const after =
    fromRevision === 0 ? tellAll(world, watching, sink) : tellSince(world, { ...watching, fromRevision }, sink)
  if (after === undefined) return ENDED
  return (watches ?? store).subscribe(resource, (change) => {
    if (change.revision > after) tell(watching, change, sink)
  })
}

type EventSink = (event: WatchEvent) => void

/** What is there; as of which revision. */
function tellAll({ store }: World, watching: Watching, sink: EventSink): number {
  const { revision } = store
  const now = objectsAt(store, watching.resource, revision) ?? []
  for (const object of now) if (isSeen(watching, object)) sink({ type: 'ADDED', object })
  if (watching.marksInitialEnd === true) sink(bookmark(watching.resource, revision, INITIAL_END))
  return revision
}

/** What the watches of this kind were told since then; undefined where that is forgotten. */
function tellSince(
  world: World,
  watching: Watching & { readonly fromRevision: number },
  sink: EventSink,
): number | undefined {
  const { store, watches } = world
  const { resource, fromRevision } = watching
  const oldest = Math.max(store.compactedTo, watches?.beginsAt ?? 0)
  const missed = fromRevision < oldest ? undefined : store.changesAfter(resource, fromRevision)
  if (missed === undefined) {
    sink({ type: 'ERROR', object: expired(`too old resource version: ${fromRevision} (${oldest})`).status })
    return undefined
  }
  const upTo = watchedUpTo(world, resource)
  for (const change of missed) if (change.revision <= upTo) tell(watching, change, sink)
  return fromRevision
}

/** How far the watches of a kind have come. */
export const watchedUpTo = ({ store, watches }: World, resource: ApiResource): number =>
  watches?.revisionOf(resource) ?? store.revision

const INITIAL_END = { annotations: { 'k8s.io/initial-events-end': 'true' } }

/** Of a watch that has nothing to end. */
const ENDED = (): void => undefined

/** Says how far the watch has come, and nothing else. */
export const bookmark = (resource: ApiResource, revision: number, metadata: object = {}): WatchEvent => ({
  type: 'BOOKMARK',
  object: {
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    metadata: { ...metadata, resourceVersion: String(revision), creationTimestamp: null },
  },
})

const isSeen = ({ namespace, matches }: Watching, object: ApiObject): boolean =>
  (namespace === undefined || object.metadata.namespace === namespace) && matches(object)

function tell(watching: Watching, { type, object, previous }: Change, sink: (event: WatchEvent) => void): void {
  const was = previous !== undefined && isSeen(watching, previous)
  const is = type !== 'DELETED' && isSeen(watching, object)
  if (was && is) sink({ type: 'MODIFIED', object })
  else if (is) sink({ type: 'ADDED', object })
  else if (was) sink({ type: 'DELETED', object: type === 'DELETED' ? object : withVersionOf(previous, object) })
}

/** An object that left the selector is told as it last was in it, with the version of the change that took it out. */
const withVersionOf = (last: ApiObject, now: ApiObject): ApiObject => ({
  ...last,
  metadata: { ...last.metadata, resourceVersion: now.metadata.resourceVersion },
})
