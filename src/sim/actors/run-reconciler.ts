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
  /** Changes the world towards what the key's object wants; a number asks for another call after this many ms. */
  readonly sync: (key: string) => number | undefined
}

/**
 * The form of every controller: changes become keys, a key that waits is not queued twice, and the work uses the state at that
 * time and not the change. The returned function ends it.
 */
export function runReconciler({ world, timers }: ActorParts, { watches, lagMs, sync }: ReconcilerSpec): () => void {
  const waiting = new Map<string, { readonly callOff: () => void; readonly again: boolean }>()
  const plan = (key: string, ms: number, again: boolean): void => {
    const run = (): void => {
      waiting.delete(key)
      const wait = sync(key)
      if (wait !== undefined && !waiting.has(key)) plan(key, wait, true)
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
