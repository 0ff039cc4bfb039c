import type { Timers } from '../../ground/ports/timers.ts'
import type { ApiResource } from './api-resource.ts'
import type { Change, Store } from './store.ts'

type ChangeSink = (change: Change) => void

interface WatchCacheParts {
  readonly store: Store
  readonly timers: Timers
  /** How much later than a commit the watches of a kind are told of it. Asked anew each time. */
  readonly lagMsOf: (resource: ApiResource) => number
}

interface Feed {
  readonly sinks: Set<ChangeSink>
  /** Committed, and not told yet. The oldest first. */
  readonly queue: Change[]
}

/**
 * What an API server answers watches from (apiserver, storage/cacher): it hears of a commit a moment later, of each kind by
 * itself, and so do all who watch that kind. Lists and reads of single objects show what is committed.
 */
export class WatchCache {
  readonly #parts: WatchCacheParts
  readonly #feeds = new Map<ApiResource, Feed>()
  #beginsAt = 0

  constructor(parts: WatchCacheParts) {
    this.#parts = parts
  }

  /** A watch from an older revision than that is answered 410. */
  get beginsAt(): number {
    return this.#beginsAt
  }

  /** How far the watches of a kind have come. */
  revisionOf(resource: ApiResource): number {
    const [next] = this.#feeds.get(resource)?.queue ?? []
    return next === undefined ? this.#parts.store.revision : next.revision - 1
  }

  /** Of each change that the watches of a kind are yet to be told of. The returned function ends it. */
  subscribe(resource: ApiResource, sink: ChangeSink): () => void {
    const { sinks } = this.#feedOf(resource)
    sinks.add(sink)
    return () => sinks.delete(sink)
  }

  /**
   * The API server has started: the cache begins at its own list, and nobody watches yet (storage/cacher/watch_cache.go,
   * getAllEventsSinceLocked).
   */
  begin(): void {
    this.#beginsAt = this.#parts.store.revision
    for (const { sinks, queue } of this.#feeds.values()) {
      sinks.clear()
      queue.length = 0
    }
  }

  #feedOf(resource: ApiResource): Feed {
    const known = this.#feeds.get(resource)
    if (known !== undefined) return known
    const { store, timers, lagMsOf } = this.#parts
    const feed: Feed = { sinks: new Set(), queue: [] }
    this.#feeds.set(resource, feed)
    store.subscribe(resource, (change) => {
      if (feed.sinks.size === 0) return
      feed.queue.push(change)
      if (feed.queue.length === 1) timers.later(lagMsOf(resource), () => tell(feed))
    })
    return feed
  }
}

/** What was committed meanwhile is told with it. */
function tell({ sinks, queue }: Feed): void {
  for (const change of queue.splice(0)) for (const sink of sinks) sink(change)
}
