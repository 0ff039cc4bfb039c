import type { FollowCache } from './follow-cache.ts'

type Followed = Pick<FollowCache<never>, 'run' | 'synced' | 'freshness'>

/** Caches that a loop goes by together. */
export abstract class FollowCaches {
  protected abstract all(): readonly Followed[]

  /** Until aborted; rejects with the signal's reason. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.all().map((cache) => cache.run(signal)))
  }

  /** Resolves when each has its first list; rejects with the signal's reason. */
  async synced(signal: AbortSignal): Promise<void> {
    await Promise.all(this.all().map((cache) => cache.synced(signal)))
  }

  /** A broken watch shows what was, and nothing is decided by that. */
  isFresh(): boolean {
    return this.all().every((cache) => {
      const { synced, brokenSince } = cache.freshness()
      return synced && brokenSince === undefined
    })
  }
}
