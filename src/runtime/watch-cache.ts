import { OVER } from '../model/over.ts'
import type { MonoMs } from '../model/time.ts'
import type { WorldError } from '../model/world-error.ts'
import type { Clock } from '../ports/clock.ts'
import type { Cluster, FollowEvent, Kind, KindMap } from '../ports/cluster.ts'
import { SortedList } from './sorted-list.ts'

/** How far the cache can be trusted. A cache that is broken keeps its last objects: old news, but news. */
export interface Freshness {
  readonly synced: boolean
  /** The newest proof that the stream is alive: a list, a change or a bookmark. Absent before the first. */
  readonly provenAt?: MonoMs
  /** The first failure since then; absent while the stream is alive. */
  readonly brokenSince?: MonoMs
  readonly error?: WorldError
}

export interface WatchCacheParts<K extends Kind> {
  readonly cluster: Pick<Cluster, 'follow'>
  readonly kind: K
  readonly clock: Clock
  /** The objects or the freshness are no longer what they were. Called within the stream: it must only take note. */
  readonly onChange: () => void
  /** Whether an object that was there matters anew; where it is absent, each change does. */
  readonly isNews?: (before: KindMap[K], now: KindMap[K]) => boolean
}

interface Named {
  readonly namespace?: string
  readonly name: string
  readonly uid?: string
}

/** `namespace/name`, or `name` for what has no namespace. */
const objectKey = (object: Named): string =>
  object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`

/** The objects of one kind as the API server last told them, in the order of their keys. */
export class WatchCache<K extends Kind> {
  readonly #parts: WatchCacheParts<K>
  readonly #objects = new SortedList<KindMap[K]>()
  readonly #firstList = Promise.withResolvers<void>()
  #freshness: Freshness = { synced: false }

  constructor(parts: WatchCacheParts<K>) {
    this.#parts = parts
  }

  /** Follows until aborted; rejects with the signal's reason. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#parts.cluster.follow(this.#parts.kind, (event) => this.#take(event), signal)
    signal.throwIfAborted()
  }

  objects(): readonly KindMap[K][] {
    return this.#objects.list()
  }

  /** `key`: `namespace/name`, or `name` for what has no namespace. */
  get(key: string): KindMap[K] | undefined {
    return this.#objects.get(key)
  }

  freshness(): Freshness {
    return this.#freshness
  }

  /** Settles after the first full list; rejects with the signal's reason. */
  async synced(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const over = new AbortController()
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: over.signal })
    })
    try {
      await Promise.race([this.#firstList.promise, aborted])
    } finally {
      over.abort(OVER)
    }
  }

  #take(event: FollowEvent<KindMap[K]>): void {
    if (event.type === 'broken') {
      const brokenSince = this.#freshness.brokenSince ?? this.#parts.clock.monoMs()
      this.#freshness = { ...this.#freshness, brokenSince, error: event.error }
      this.#parts.onChange()
      return
    }
    const healed = this.#freshness.brokenSince !== undefined
    this.#freshness = {
      synced: this.#freshness.synced || event.type === 'listed',
      provenAt: this.#parts.clock.monoMs(),
    }
    const changed = this.#apply(event)
    if (event.type === 'listed') this.#firstList.resolve()
    if (changed || healed) this.#parts.onChange()
  }

  #apply(event: Exclude<FollowEvent<KindMap[K]>, { type: 'broken' }>): boolean {
    if (event.type === 'fresh') return false
    switch (event.type) {
      case 'listed':
        this.#objects.reset(event.objects.map((object) => [objectKey(object), object]))
        return true
      case 'applied': {
        const before = this.#objects.get(objectKey(event.object))
        this.#objects.set(objectKey(event.object), event.object)
        return before === undefined || this.#parts.isNews?.(before, event.object) !== false
      }
      case 'deleted':
        return this.#remove(event.object)
    }
  }

  /** The name may already belong to a successor: only the object that was deleted goes. */
  #remove(deleted: Named): boolean {
    const key = objectKey(deleted)
    const kept: Named | undefined = this.#objects.get(key)
    if (kept === undefined || kept.uid !== deleted.uid) return false
    return this.#objects.delete(key)
  }
}
