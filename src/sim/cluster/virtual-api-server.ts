import type { Timers } from '../../ground/ports/timers.ts'
import type { SeededRandom } from '../clocks/seeded-random.ts'
import type { ApiAccess } from '../machines/api-access.ts'
import type { Store } from '../world/store.ts'

interface VirtualApiServerParts {
  readonly timers: Timers
  readonly random: SeededRandom
  readonly store: Pick<Store, 'revision' | 'compact'>
  /** Starts the controllers that act through it from within the control plane; the returned function ends them. */
  readonly runControllers: () => () => void
}

/**
 * A controller manager ends when it cannot renew its Lease and is started again at once, or follows again after client-go's
 * back-off, which doubles from 0.8 s with as much jitter (reflector.go): after a short outage both are back by then.
 */
const FOLLOWERS_BACK_MS = { least: 1_000, most: 24_000 }

/** How long the past is kept at least, and twice that at most: `--etcd-compaction-interval` (storage/etcd3/compact.go). */
const COMPACTED_EVERY_MS = 300_000

/** The process in front of the store: killed and started again it has lost nothing but its connections and its followers. */
export class VirtualApiServer implements ApiAccess {
  readonly #parts: VirtualApiServerParts
  #life: AbortController | undefined = new AbortController()
  #endControllers: (() => void) | undefined

  constructor(parts: VirtualApiServerParts) {
    this.#parts = parts
    this.#endControllers = parts.runControllers()
    this.#compactLater(parts.store.revision)
  }

  isReachable(): boolean {
    return this.#life !== undefined
  }

  /** Aborted when it goes, and every connection to it with it; undefined while it is away. */
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
    this.#life?.abort(new Error('ECONNRESET'))
    this.#life = undefined
    this.#endControllers?.()
    this.#endControllers = undefined
  }

  start(): void {
    if (this.#life !== undefined) return
    const life = new AbortController()
    this.#life = life
    const { timers, random, runControllers } = this.#parts
    timers.later(random.between(FOLLOWERS_BACK_MS.least, FOLLOWERS_BACK_MS.most), () => {
      if (this.#life === life) this.#endControllers = runControllers()
    })
  }
}
