import { present } from '../model/present.ts'
import type { MonoMs } from '../model/time.ts'
import { untilAborted } from '../model/until-aborted.ts'
import type { WorldError } from '../model/world-error.ts'
import type { Clock } from '../ports/clock.ts'
import type { FollowEvent } from '../ports/cluster.ts'
import { FieldIndex, GroupedIndex, type ValuesOf } from './field-index.ts'
import { SortedList } from './sorted-list.ts'

/**
 * How far the cache can be trusted. A cache whose stream is broken keeps its last objects: they are old, but better than none.
 */
export interface Freshness {
  readonly synced: boolean
  /** The newest proof that the stream is alive: a list, a change or a bookmark. Absent before the first. */
  readonly provenAt?: MonoMs
  /** The first failure since then; absent while the stream is alive. */
  readonly brokenSince?: MonoMs
  readonly error?: WorldError
}

export interface FollowCacheParts<T> {
  /** Lists and watches for ever; settles only when aborted. */
  readonly follow: (sink: (event: FollowEvent<T>) => void, signal: AbortSignal) => Promise<void>
  readonly clock: Clock
  /** The objects or the freshness have changed. Called within the stream: it must only take note. */
  readonly onChange?: () => void
  /**
   * The object of this key was added, changed or deleted. `before` is absent if it was added, `now` if it was deleted. Called once for each
   * key, within the stream, before `onChange`; also for changes that a list shows and no watch did. A controller notes the keys that the
   * object matters to.
   */
  readonly onKey?: (key: string, change: KeyChange<T>) => void
  /** Whether a change of an object matters; where this is absent, each change does. */
  readonly isNews?: (before: T, now: T) => boolean
  /**
   * Whether two objects differ in nothing but the version. If so, a watch event leaves the old object in the cache and is not reported, and
   * `versionOf` returns the new version. Whatever is memoized by the object stays valid. If absent, every event replaces the object.
   */
  readonly isSame?: (before: T, now: T) => boolean
}

interface KeyChange<T> {
  readonly before?: T
  readonly now?: T
}

export interface Named {
  readonly namespace?: string
  readonly name: string
  readonly uid?: string
  readonly resourceVersion?: string
}

/** `namespace/name`, or `name` for what has no namespace. */
const objectKey = (object: Named): string =>
  object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`

/** Objects as the API server sent them last, in the order of their keys. */
export class FollowCache<T extends Named> {
  readonly #parts: FollowCacheParts<T>
  readonly #objects = new SortedList<T>()
  readonly #indexes: Pick<FieldIndex<T>, 'apply'>[] = []
  /** The latest resourceVersion of each object that was kept because only its version changed, by key. */
  readonly #versions = new Map<string, string>()
  readonly #firstList = Promise.withResolvers<void>()
  #freshness: Freshness = { synced: false }

  constructor(parts: FollowCacheParts<T>) {
    this.#parts = parts
  }

  /** Follows until aborted; rejects with the signal's reason. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#parts.follow((event) => this.#take(event), signal)
    signal.throwIfAborted()
  }

  objects(): readonly T[] {
    return this.#objects.list()
  }

  /** `key`: `namespace/name`, or `name` for what has no namespace. */
  get(key: string): T | undefined {
    return this.#objects.get(key)
  }

  /** The latest resourceVersion of this object. If the cache has replaced the object, the version that it was read with. */
  versionOf(object: T): string | undefined {
    const key = objectKey(object)
    const version = this.#versions.get(key)
    return version !== undefined && this.#objects.get(key) === object ? version : object.resourceVersion
  }

  /** Objects by one of their values; the index is kept from now on. */
  index(valuesOf: ValuesOf<T>): Pick<FieldIndex<T>, 'get'> {
    return this.#kept(new FieldIndex(valuesOf))
  }

  /** The same within groups of objects. */
  indexWithin(groupOf: (object: T) => string, valuesOf: ValuesOf<T>): Pick<GroupedIndex<T>, 'get'> {
    return this.#kept(new GroupedIndex(groupOf, valuesOf))
  }

  freshness(): Freshness {
    return this.#freshness
  }

  #kept<I extends Pick<FieldIndex<T>, 'apply'>>(index: I): I {
    for (const object of this.#objects.list()) index.apply(objectKey(object), undefined, object)
    this.#indexes.push(index)
    return index
  }

  /** Settles after the first full list; rejects with the signal's reason. */
  async synced(signal: AbortSignal): Promise<void> {
    await untilAborted(this.#firstList.promise, signal)
  }

  #take(event: FollowEvent<T>): void {
    if (event.type === 'broken') {
      const brokenSince = this.#freshness.brokenSince ?? this.#parts.clock.monoMs()
      this.#freshness = { ...this.#freshness, brokenSince, error: event.error }
      this.#parts.onChange?.()
      return
    }
    const healed = this.#freshness.brokenSince !== undefined
    this.#freshness = {
      synced: this.#freshness.synced || event.type === 'listed',
      provenAt: this.#parts.clock.monoMs(),
    }
    const changed = this.#apply(event)
    if (event.type === 'listed') this.#firstList.resolve()
    if (changed || healed) this.#parts.onChange?.()
  }

  #apply(event: Exclude<FollowEvent<T>, { type: 'broken' }>): boolean {
    if (event.type === 'fresh') return false
    switch (event.type) {
      case 'listed':
        this.#reset(event.objects)
        return true
      case 'applied': {
        const key = objectKey(event.object)
        const before = this.#objects.get(key)
        if (before !== undefined && this.#stays(key, before, event.object)) return false
        this.#objects.set(key, event.object)
        this.#indexed(key, before, event.object)
        return this.#changed(key, before, event.object)
      }
      case 'deleted':
        return this.#remove(event.object)
    }
  }

  #stays(key: string, before: T, now: T): boolean {
    const stays = this.#parts.isSame?.(before, now) === true
    if (stays && now.resourceVersion !== undefined) this.#versions.set(key, now.resourceVersion)
    else this.#versions.delete(key)
    return stays
  }

  /** Differences to the new list are reported key by key, like changes of a watch, once the whole list is in place. */
  #reset(objects: readonly T[]): void {
    const old = new Map(this.#objects.list().map((object) => [objectKey(object), object]))
    const listed = new Map(objects.map((object) => [objectKey(object), object]))
    const keys = new Set([...old.keys(), ...listed.keys()])
    this.#versions.clear()
    this.#objects.reset(listed)
    for (const key of keys) this.#indexed(key, old.get(key), listed.get(key))
    for (const key of keys) {
      const [before, now] = [old.get(key), listed.get(key)]
      if (!isSame(before, now)) this.#changed(key, before, now)
    }
  }

  /** The name may already belong to a successor: only the object that was deleted is removed. */
  #remove(deleted: T): boolean {
    const key = objectKey(deleted)
    const kept = this.#objects.get(key)
    if (kept === undefined || kept.uid !== deleted.uid) return false
    this.#objects.delete(key)
    this.#versions.delete(key)
    this.#indexed(key, kept, undefined)
    return this.#changed(key, kept, undefined)
  }

  #indexed(key: string, before: T | undefined, now: T | undefined): void {
    for (const index of this.#indexes) index.apply(key, before, now)
  }

  /** Returns whether the change matters. */
  #changed(key: string, before: T | undefined, now: T | undefined): boolean {
    if (before !== undefined && now !== undefined && this.#parts.isNews?.(before, now) === false) return false
    const change = { ...present({ before, now }) }
    this.#parts.onKey?.(key, change)
    return true
  }
}

/** The object is unchanged in a new list. Without versions, each may have changed. */
const isSame = (before: Named | undefined, now: Named | undefined): boolean =>
  before?.resourceVersion !== undefined && before.resourceVersion === now?.resourceVersion
