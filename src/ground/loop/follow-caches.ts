import type { MonoMs } from '../model/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Objects, Selection } from '../ports/objects.ts'
import { ApiOutage } from './api-outage.ts'
import { FollowCache, type FollowCacheParts, type Named } from './follow-cache.ts'

interface CachesParts {
  readonly objects: Pick<Objects, 'follow'>
  readonly clock: Clock
}

type Hooks<T> = Omit<FollowCacheParts<T>, 'follow' | 'clock'>

/** Caches that a loop goes by together. */
export abstract class FollowCaches {
  readonly #parts: CachesParts
  readonly #all: Pick<FollowCache<never>, 'run' | 'synced' | 'freshness'>[] = []
  readonly #outage = new ApiOutage()

  constructor(parts: CachesParts) {
    this.#parts = parts
  }

  protected cacheOf<T extends Named>(follow: FollowCacheParts<T>['follow'], hooks: Hooks<T>): FollowCache<T> {
    const onChange = (): void => {
      this.#noteOutage()
      hooks.onChange?.()
    }
    const cache = new FollowCache({ follow, clock: this.#parts.clock, ...hooks, onChange })
    this.#all.push(cache)
    return cache
  }

  protected objectsOf<T extends Named>(selection: Selection<T>, hooks: Hooks<T>): FollowCache<T> {
    return this.cacheOf((sink, signal) => this.#parts.objects.follow(selection, sink, signal), hooks)
  }

  /** Until aborted; rejects with the signal's reason. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#all.map((cache) => cache.run(signal)))
  }

  /** Resolves when each has its first list; rejects with the signal's reason. */
  async synced(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#all.map((cache) => cache.synced(signal)))
  }

  /** A broken watch shows what was, and nothing is decided by that. */
  isFresh(): boolean {
    return this.#all.every((cache) => {
      const { synced, brokenSince } = cache.freshness()
      return synced && brokenSince === undefined
    })
  }

  /** Since when the first of the broken watches has been so; 0 while none is. */
  brokenForMs(): number {
    const now = this.#parts.clock.monoMs()
    return Math.max(0, ...this.#all.map((cache) => now - (cache.freshness().brokenSince ?? now)))
  }

  /** When the API server was away last, for all of these streams at once; absent: never. */
  awayAt(): MonoMs | undefined {
    this.#noteOutage()
    return this.#outage.lastAt
  }

  #noteOutage(): void {
    this.#outage.note(
      this.#all.map((cache) => cache.freshness()),
      this.#parts.clock.monoMs(),
    )
  }
}
