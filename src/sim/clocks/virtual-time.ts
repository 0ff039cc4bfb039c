import { type MonoMs, monoMs, type WallMs, wallMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Timers } from '../../ground/ports/timers.ts'
import { type Event, EventHeap } from './event-heap.ts'

/** Limits are cancelled far more often than they are reached: this many stay in the heap until they are removed. */
const OFF_AT_MOST = 256

export interface VirtualTimeParts {
  /** The wall clock at the start. */
  readonly startAt: WallMs
  /**
   * Calls `step` until it returns false, each time in a turn of its own of the host's event loop: everything that follows from
   * one event and waits for a promise is done before the next. Rejects with what `step` throws.
   */
  readonly turns: (step: () => boolean) => Promise<void>
}

/**
 * Time as a heap of events. It jumps from one to the next; two events of the same moment run in the order in which they were
 * requested, and everything that waits for a promise is done before the next one, so that a run is always the same.
 */
export class VirtualTime implements Clock, Timers {
  readonly #turns: VirtualTimeParts['turns']
  readonly #heap = new EventHeap()
  #wallOffsetMs: number
  #nowMs = 0
  #order = 0
  /** Of those in the heap, how many are called off. */
  #off = 0

  constructor({ startAt, turns }: VirtualTimeParts) {
    this.#wallOffsetMs = startAt
    this.#turns = turns
  }

  monoMs(): MonoMs {
    return monoMs(this.#nowMs)
  }

  wallMs(): WallMs {
    return wallMs(this.#wallOffsetMs + this.#nowMs)
  }

  /** No machine of a simulated world sleeps. */
  asleepMs(): number {
    return 0
  }

  /** Events that are due at some time. */
  get pending(): number {
    return this.#heap.size - this.#off
  }

  later(ms: number, run: () => void): () => void {
    const event: Event = { atMs: this.#nowMs + Math.max(0, ms), order: this.#order++, run, isOff: false, isDone: false }
    this.#heap.push(event)
    return () => {
      if (event.isOff || event.isDone) return
      event.isOff = true
      this.#off += 1
      if (this.#off > OFF_AT_MOST && this.#off * 2 > this.#heap.size) this.#forgetOff()
    }
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const onAbort = (): void => {
      callOff()
      reject(signal.reason)
    }
    const callOff = this.later(ms, () => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    })
    signal.addEventListener('abort', onAbort, { once: true })
    return promise
  }

  /** People or NTP set the clock; monotonic time does not change. */
  jumpWall(byMs: number): void {
    this.#wallOffsetMs += byMs
  }

  /** Runs every event up to then, in order. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms
    await this.#turns(() => this.#step(untilMs))
    this.#nowMs = untilMs
  }

  /** Runs until the work has settled, and returns its result; throws if the events end or `limitMs` is reached before. */
  async settle<T>(work: Promise<T>, limitMs: number): Promise<T> {
    const untilMs = this.#nowMs + limitMs
    let isSettled = false
    const settled = work.finally(() => {
      isSettled = true
    })
    settled.catch(() => undefined)
    await this.#turns(() => {
      if (isSettled) return false
      if (this.#step(untilMs)) return true
      if (this.#heap.size === 0) throw new Error('nothing is left to happen, and the work has not settled')
      throw new Error(`the work has not settled within ${limitMs} ms`)
    })
    return settled
  }

  #forgetOff(): void {
    this.#heap.sweep()
    this.#off = 0
  }

  /** The next event that was not called off, unless it is due later than that. */
  #step(untilMs: number): boolean {
    for (let event = this.#heap.first; event !== undefined && event.atMs <= untilMs; event = this.#heap.first) {
      this.#heap.pop()
      event.isDone = true
      if (event.isOff) {
        this.#off -= 1
        continue
      }
      this.#nowMs = event.atMs
      event.run()
      return true
    }
    return false
  }
}
