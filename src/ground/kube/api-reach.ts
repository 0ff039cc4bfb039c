import { OVER } from '../model/over.ts'
import type { Clock } from '../ports/clock.ts'

/**
 * A call that waits is woken at least this long after the API server was reached, and at most twice as long: calls come one by
 * one.
 */
const SOONEST_MS = 250
const SPREAD_MS = 750

interface Pause {
  readonly ms: number
  /** Retry-After. */
  readonly askedMs?: number
  /** Uniform in [0, 1). */
  readonly dice: number
}

/**
 * Several calls may wait before they ask an API server again, each for a time of its own. When one has reached it, the others
 * are woken, but none before the time that the server asked it to wait. Otherwise the last of ten would come back up to ten seconds
 * after the first, and the cluster is fully known only then.
 */
export class ApiReach {
  readonly #clock: Clock
  readonly #waiting = new Set<() => void>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A call has reached the API server after a failure. */
  reached(): void {
    for (const wake of [...this.#waiting]) wake()
  }

  /** Waits `ms`, or until soon after another call reached the API server, but no less than the server asked for. */
  async pause({ ms, askedMs = 0, dice }: Pause, signal: AbortSignal): Promise<void> {
    const began = this.#nowMs()
    await this.#sleepUnlessWoken(ms, signal)
    const passedMs = this.#nowMs() - began
    const restMs = Math.min(ms - passedMs, Math.max(askedMs - passedMs, 0) + SOONEST_MS + dice * SPREAD_MS)
    if (restMs > 0) await this.#clock.sleep(restMs, signal)
  }

  /** The server's time passes while this machine sleeps. */
  #nowMs(): number {
    return this.#clock.monoMs() + this.#clock.asleepMs()
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
