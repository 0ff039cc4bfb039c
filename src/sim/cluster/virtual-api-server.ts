import type { Timers } from '../../ground/ports/timers.ts'
import type { SeededRandom } from '../clocks/seeded-random.ts'
import type { ApiAccess } from '../machines/api-access.ts'
import { Reflector } from '../machines/reflector.ts'
import type { Store } from '../world/store.ts'
import type { WatchCache } from '../world/watch-cache.ts'

interface VirtualApiServerParts {
  readonly timers: Timers
  readonly random: SeededRandom
  readonly store: Pick<Store, 'revision' | 'compact'>
  readonly watches: Pick<WatchCache, 'begin'>
  /** Starts the controllers that act through it from within the control plane; the returned function ends them. */
  readonly runControllers: () => () => void
}

/** How long the past is kept at least, and twice that at most: `--etcd-compaction-interval` (storage/etcd3/compact.go). */
const COMPACTED_EVERY_MS = 300_000

/** The process in front of the store: killed and started again it has lost its connections, its followers and its watch cache. */
export class VirtualApiServer implements ApiAccess {
  readonly #parts: VirtualApiServerParts
  #life: AbortController | undefined = new AbortController()
  #endControllers: (() => void) | undefined

  constructor(parts: VirtualApiServerParts) {
    this.#parts = parts
    this.#runControllers()
    this.#compactLater(parts.store.revision)
  }

  get life(): AbortSignal | undefined {
    return this.#life?.signal
  }

  /** What happened up to then is forgotten next time. */
  #compactLater(revision: number): void {
    const { timers, store } = this.#parts
    timers.later(COMPACTED_EVERY_MS, () => {
      store.compact(revision)
      this.#compactLater(store.revision)
    })
  }

  kill(): void {
    const life = this.#life
    this.#life = undefined
    life?.abort(new Error('ECONNRESET'))
    this.#endControllers?.()
    this.#endControllers = undefined
  }

  start(): void {
    if (this.#life !== undefined) return
    this.#life = new AbortController()
    this.#parts.watches.begin()
  }

  /** They follow by watches, like all others. */
  #runControllers(): void {
    const { timers, random, runControllers } = this.#parts
    this.#endControllers = runControllers()
    const onBack = (): void => {
      this.#endControllers = runControllers()
    }
    new Reflector({ access: this, timers, random, onBack })
  }
}
