import { OVER } from '../model/over.ts'
import type { Clock } from '../ports/clock.ts'
import type { Random } from '../ports/random.ts'

interface Parts {
  readonly clock: Clock
  readonly random: Random
  /** 1 or more. */
  readonly perSecond: number
}

interface Waiter {
  readonly go: () => void
}

const WINDOW_MS = 100
/** Late timers are caught up with, up to this time beyond the jitter. */
const CATCH_UP_MS = 10

/**
 * Allows this many turns a second, in the order of the calls, and never more than a tenth of them within 100 ms. After a
 * silence half of that tenth passes at once and the other half spread over the 100 ms, so that a little work never waits. From
 * then on turns are spread evenly, each delayed by a random part of the time between two.
 */
export class Pacer {
  readonly #parts: Parts
  readonly #everyMs: number
  /** The times of the last turns, as many as are allowed within the window; the oldest is at `#oldest`. */
  readonly #taken: number[]
  readonly #waiting = new Set<Waiter>()
  #oldest = 0
  #lastAt = Number.NEGATIVE_INFINITY
  /** When the silence before the present turns ended. */
  #begunAt = Number.NEGATIVE_INFINITY
  /** When the next turn is due at an even pace. */
  #evenAt = Number.NEGATIVE_INFINITY
  #jitterMs = 0
  #serving: AbortController | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.#everyMs = 1_000 / parts.perSecond
    this.#taken = new Array<number>(Math.ceil((parts.perSecond * WINDOW_MS) / 1_000)).fill(Number.NEGATIVE_INFINITY)
  }

  /** Resolves when it is this caller's turn. Rejects with the signal's reason, and takes no turn then. */
  async turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#waiting.size === 0 && this.#untilDueMs() <= 0) this.#take(this.#parts.clock.monoMs())
    else await this.#wait(signal)
  }

  #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = { go: resolve }
    const onAbort = (): void => {
      this.#waiting.delete(waiter)
      if (this.#waiting.size === 0) this.#stopServing()
      reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    this.#waiting.add(waiter)
    if (this.#serving === undefined) this.#serve().catch((error) => error === OVER || reject(error))
    return promise.finally(() => signal.removeEventListener('abort', onAbort))
  }

  /** Runs until nothing waits. Rejects with OVER when stopped before. */
  async #serve(): Promise<void> {
    const { clock } = this.#parts
    const serving = new AbortController()
    this.#serving = serving
    for (const waiter of this.#waiting) {
      for (let waitMs = this.#untilDueMs(); waitMs > 0; waitMs = this.#untilDueMs()) {
        await clock.sleep(waitMs, serving.signal)
        serving.signal.throwIfAborted()
      }
      // It may have been aborted meanwhile.
      if (!this.#waiting.delete(waiter)) continue
      this.#take(clock.monoMs())
      waiter.go()
    }
    this.#serving = undefined
  }

  #stopServing(): void {
    this.#serving?.abort(OVER)
    this.#serving = undefined
  }

  #untilDueMs(): number {
    const nowMs = this.#parts.clock.monoMs()
    return this.#dueAt(nowMs) - nowMs
  }

  #isSilent(nowMs: number): boolean {
    return nowMs >= Math.max(this.#evenAt + this.#everyMs, this.#lastAt + WINDOW_MS)
  }

  #dueAt(nowMs: number): number {
    if (this.#isSilent(nowMs)) return nowMs
    const evenMs = this.#evenAt + this.#jitterMs - this.#begunAt
    const afterMs = evenMs < WINDOW_MS ? Math.max(0, 2 * evenMs - WINDOW_MS) : evenMs
    return Math.max(this.#begunAt + afterMs, (this.#taken[this.#oldest] ?? 0) + WINDOW_MS)
  }

  #take(nowMs: number): void {
    if (this.#isSilent(nowMs)) this.#begunAt = this.#evenAt = nowMs
    this.#evenAt = Math.max(this.#evenAt, nowMs - this.#everyMs - CATCH_UP_MS) + this.#everyMs
    this.#jitterMs = this.#parts.random.next() * this.#everyMs
    this.#lastAt = this.#taken[this.#oldest] = nowMs
    this.#oldest = (this.#oldest + 1) % this.#taken.length
  }
}
