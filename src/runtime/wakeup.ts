import { invariant } from '../model/invariant.ts'
import type { Clock } from '../ports/clock.ts'

/**
 * "Something changed, or it is time." Any number of `wake()` between two passes make one pass: what changed is read
 * from the caches when the pass runs, so that a burst is never replayed against stale copies.
 */
export class Wakeup {
  readonly #clock: Clock
  #pending = false
  #release: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  wake(): void {
    this.#pending = true
    this.#release?.()
  }

  /**
   * Settles at the next `wake()`, at once if there was one since the last call, or after `dueInMs` (at least 1 ms;
   * undefined: only a change ends the wait). Rejects with the signal's reason. One waiter at a time.
   */
  async next(dueInMs: number | undefined, signal: AbortSignal): Promise<'changed' | 'due'> {
    invariant(this.#release === undefined, 'two passes wait on one wake-up')
    signal.throwIfAborted()
    if (!this.#pending) await this.#wait(dueInMs, signal)
    const changed = this.#pending
    this.#pending = false
    return changed ? 'changed' : 'due'
  }

  async #wait(dueInMs: number | undefined, signal: AbortSignal): Promise<void> {
    const over = new AbortController()
    const woken = new Promise<void>((resolve, reject) => {
      this.#release = resolve
      signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: over.signal })
    })
    try {
      if (dueInMs === undefined) return await woken
      await Promise.race([woken, this.#clock.sleep(Math.max(1, dueInMs), AbortSignal.any([signal, over.signal]))])
    } finally {
      this.#release = undefined
      over.abort()
    }
  }
}
