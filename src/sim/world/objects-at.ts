import type { ApiObject } from './api-object.ts'
import type { ApiResource } from './api-resource.ts'
import { keyOf, type Store } from './store.ts'

/**
 * All objects of a kind as they were at a revision, in etcd's order; undefined where that is forgotten. What was done since
 * is undone, so that the pages of one list are of one moment.
 */
export function objectsAt(store: Store, resource: ApiResource, revision: number): readonly ApiObject[] | undefined {
  const since = store.changesAfter(resource, revision)
  if (since === undefined) return undefined
  const objects = new Map([...store.all(resource)].map((object) => [keyOf(object.metadata), object]))
  for (const { object, previous } of since.toReversed()) {
    const key = keyOf(object.metadata)
    if (previous === undefined) objects.delete(key)
    else objects.set(key, previous)
  }
  return [...objects].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object)
}
