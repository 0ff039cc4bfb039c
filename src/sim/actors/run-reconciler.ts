import type { Timers } from '../../ground/ports/timers.ts'
import type { ApiResource } from '../world/api-resource.ts'
import type { Change } from '../world/store.ts'
import type { World } from '../world/world.ts'

/** The parts that every actor needs. */
export interface ActorParts {
  readonly world: World
  readonly timers: Timers
}

interface ReconcilerSpec {
  /** The keys that a change of these kinds may concern. */
  readonly watches: readonly (readonly [ApiResource, (change: Change) => readonly string[]])[]
  /** How long after a change the actor acts on it. */
  readonly lagMs: number
  /** Where the controller has a rate limiter of its own; defaults to client-go's. */
  readonly firstRetryMs?: number
  /**
   * Changes the world towards what the key's object wants. A number asks for another call after this many ms; `failed`, as where
   * the API refused a write, for one after a time that doubles with each failure in a row.
   */
  readonly sync: (key: string) => number | 'failed' | undefined
}

/** client-go, workqueue/default_rate_limiters.go, DefaultTypedControllerRateLimiter. */
const FIRST_RETRY_MS = 5
const LAST_RETRY_MS = 1_000_000

/**
 * The form of every controller: changes become keys, a key that waits is not queued twice, and the work uses the state at that
 * time and not the change. The returned function ends it.
 */
export function runReconciler({ world, timers }: ActorParts, spec: ReconcilerSpec): () => void {
  const { watches, lagMs, sync, firstRetryMs = FIRST_RETRY_MS } = spec
  const waiting = new Map<string, { readonly callOff: () => void; readonly again: boolean }>()
  const failures = new Map<string, number>()
  const retryMs = (key: string): number => {
    const before = failures.get(key) ?? 0
    failures.set(key, before + 1)
    return Math.min(LAST_RETRY_MS, firstRetryMs * 2 ** before)
  }
  const plan = (key: string, ms: number, again: boolean): void => {
    const run = (): void => {
      waiting.delete(key)
      const wait = sync(key)
      if (wait !== 'failed') failures.delete(key)
      const waitMs = wait === 'failed' ? retryMs(key) : wait
      if (waitMs !== undefined && !waiting.has(key)) plan(key, waitMs, true)
    }
    waiting.set(key, { callOff: timers.later(ms, run), again })
  }
  const enqueue = (key: string): void => {
    const planned = waiting.get(key)
    if (planned !== undefined && !planned.again) return
    planned?.callOff()
    plan(key, lagMs, false)
  }
  const ends = watches.map(([resource, keysOf]) => {
    for (const object of world.store.all(resource)) {
      for (const key of keysOf({ revision: world.store.revision, type: 'ADDED', resource, object })) enqueue(key)
    }
    return world.store.subscribe(resource, (change) => {
      for (const key of keysOf(change)) enqueue(key)
    })
  })
  return () => {
    for (const end of ends) end()
    for (const { callOff } of waiting.values()) callOff()
    waiting.clear()
  }
}
