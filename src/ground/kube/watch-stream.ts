import type { Readable } from 'node:stream'
import { OVER } from '../model/over.ts'
import type { Clock } from '../ports/clock.ts'
import { LineReader } from './line-reader.ts'

interface WatchStreamParts {
  readonly body: Readable
  readonly clock: Clock
}

/** `silent`: nothing came for longer than a silent watch counts as alive. */
type StreamAnswer = { readonly type: 'line'; readonly line: string } | { readonly type: 'ended' | 'silent' }

/** The lines of one watch, with a limit for its silence. */
export class WatchStream {
  readonly #body: Readable
  readonly #lines: LineReader
  readonly #alarm: Alarm

  constructor({ body, clock }: WatchStreamParts) {
    this.#body = body
    this.#lines = new LineReader(body)
    this.#alarm = new Alarm(clock)
  }

  /**
   * A silent watch counts as alive for `idleMs`. Rejects with WorldError where the stream breaks, or with the signal's reason.
   */
  async next(idleMs: number, signal: AbortSignal): Promise<StreamAnswer> {
    for (;;) {
      const line = this.#lines.shift()
      if (line !== undefined && line !== '') return { type: 'line', line }
      if (line !== undefined) continue
      const more = await this.#more(idleMs, signal)
      if (more !== 'more') return { type: more }
    }
  }

  close(): void {
    this.#alarm.close()
    this.#body.destroy()
  }

  async #more(idleMs: number, signal: AbortSignal): Promise<'more' | 'ended' | 'silent'> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<'more' | 'ended' | 'silent'>()
    const abort = (): void => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    this.#alarm.set(idleMs, () => resolve('silent'))
    this.#lines.more().then((isThere) => resolve(isThere ? 'more' : 'ended'), reject)
    try {
      return await promise
    } finally {
      this.#alarm.unset()
      signal.removeEventListener('abort', abort)
    }
  }
}

/**
 * One sleep for many limits, of which hardly any is reached: when it ends, it compares the time, and sleeps on. A timer for
 * each line would cost more than the line.
 */
class Alarm {
  readonly #clock: Clock
  #due: { readonly at: number; readonly ring: () => void } | undefined
  #sleep: { readonly endsAt: number; readonly over: AbortController } | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Rings once, unless it is set again or unset before. */
  set(ms: number, ring: () => void): void {
    const now = this.#passedMs()
    this.#due = { at: now + ms, ring }
    if (this.#sleep !== undefined && this.#sleep.endsAt <= this.#due.at) return
    this.close()
    this.#sleepUntil(this.#due.at, now)
  }

  unset(): void {
    this.#due = undefined
  }

  close(): void {
    this.#sleep?.over.abort(OVER)
    this.#sleep = undefined
  }

  /** A watch that was silent while this machine slept was silent. */
  #passedMs(): number {
    return this.#clock.monoMs() + this.#clock.asleepMs()
  }

  #sleepUntil(endsAt: number, now: number): void {
    const over = new AbortController()
    this.#sleep = { endsAt, over }
    this.#clock.sleep(endsAt - now, over.signal).then(
      () => this.#look(),
      () => undefined,
    )
  }

  #look(): void {
    this.#sleep = undefined
    if (this.#due === undefined) return
    const now = this.#passedMs()
    const { at, ring } = this.#due
    if (now < at) {
      this.#sleepUntil(at, now)
    } else {
      this.#due = undefined
      ring()
    }
  }
}
