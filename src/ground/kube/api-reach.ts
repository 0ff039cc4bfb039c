import { OVER } from '../model/over.ts'
import type { Clock } from '../ports/clock.ts'

/** A woken call waits this long at least, and at most that much longer: calls come one by one, and none of them often. */
const SOONEST_MS = 250
const SPREAD_MS = 750

/**
 * Those who wait before they ask an API server again, each for a time of its own, hear when one of them has reached it.
 * Without it the last of ten is back up to ten seconds after the first, and the view of the cluster is whole only then.
 */
export class ApiReach {
  readonly #clock: Clock
  readonly #waiting = new Set<() => void>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** After a failure, one has reached it again. */
  reached(): void {
    for (const wake of [...this.#waiting]) wake()
  }

  /** Waits `ms`, or until soon after another call reached it. `dice` is uniform in [0, 1). */
  async pause({ ms, dice }: { readonly ms: number; readonly dice: number }, signal: AbortSignal): Promise<void> {
    const until = this.#clock.monoMs() + ms
    await this.#sleepUnlessWoken(ms, signal)
    const restMs = Math.min(until - this.#clock.monoMs(), SOONEST_MS + dice * SPREAD_MS)
    if (restMs > 0) await this.#clock.sleep(restMs, signal)
  }

  async #sleepUnlessWoken(ms: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController()
    const wake = (): void => woken.abort(OVER)
    this.#waiting.add(wake)
    try {
      await this.#clock.sleep(ms, AbortSignal.any([signal, woken.signal]))
    } catch (error) {
      signal.throwIfAborted()
      if (!woken.signal.aborted) throw error
    } finally {
      this.#waiting.delete(wake)
    }
  }
}
