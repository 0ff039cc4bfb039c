import type { ApiObject } from '../world/api-object.ts'
import type { ApiResource } from '../world/api-resource.ts'
import { keyOf, type Store } from '../world/store.ts'

/** The objects of a kind in groups, updated from the log of changes: like an informer's cache with an index. */
export class ObjectIndex<T extends ApiObject> {
  readonly #groups = new Map<string, Map<string, T>>()
  readonly #groupsOf: (object: T) => readonly string[]
  readonly end: () => void

  constructor(store: Store, resource: ApiResource, groupsOf: (object: T) => readonly string[]) {
    this.#groupsOf = groupsOf
    for (const object of store.all(resource)) this.#add(object as T)
    this.end = store.subscribe(resource, ({ type, object, previous }) => {
      if (previous !== undefined) this.#leave(previous as T, type === 'DELETED' ? undefined : (object as T))
      if (type !== 'DELETED') this.#add(object as T)
    })
  }

  /** In the order in which they came into the group. */
  of(group: string): readonly T[] {
    return [...(this.#groups.get(group)?.values() ?? [])]
  }

  count(group: string): number {
    return this.#groups.get(group)?.size ?? 0
  }

  #add(object: T): void {
    for (const name of this.#groupsOf(object)) {
      const group = this.#groups.get(name)
      if (group === undefined) this.#groups.set(name, new Map([[keyOf(object.metadata), object]]))
      else group.set(keyOf(object.metadata), object)
    }
  }

  #leave(previous: T, now: T | undefined): void {
    const stays = now === undefined ? [] : this.#groupsOf(now)
    for (const name of this.#groupsOf(previous)) {
      if (stays.includes(name)) continue
      const group = this.#groups.get(name)
      group?.delete(keyOf(previous.metadata))
      if (group?.size === 0) this.#groups.delete(name)
    }
  }
}
