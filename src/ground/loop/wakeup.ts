import { invariant } from '../model/invariant.ts'
import { OVER } from '../model/over.ts'
import type { Clock } from '../ports/clock.ts'

/**
 * Waits for a change or a time. Any number of `wake()` between two passes make one pass: the pass reads the changes from the
 * caches when it runs, so a burst never works with stale copies.
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
    const { promise: woken, resolve, reject } = Promise.withResolvers<void>()
    this.#release = resolve
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      if (dueInMs === undefined) return await woken
      await Promise.race([woken, this.#clock.sleep(Math.max(1, dueInMs), over.signal)])
    } finally {
      this.#release = undefined
      signal.removeEventListener('abort', onAbort)
      over.abort(OVER)
    }
  }
}
