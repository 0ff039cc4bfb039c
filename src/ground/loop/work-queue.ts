import { invariant } from '../model/invariant.ts'
import { OVER } from '../model/over.ts'
import { type MonoMs, monoMs } from '../model/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Random } from '../ports/random.ts'
import { Backoff, type BackoffLimits, obeyedMs } from './backoff.ts'
import { type Due, DueHeap } from './due-heap.ts'
import { Wakeup } from './wakeup.ts'

/*
 * Only keys travel: what a key stands for is read when its turn comes, so that a burst of changes is one piece of work and
 * nothing is done on what is no longer so. The laws, after kube-rs (kube-runtime, scheduler.rs) and client-go's workqueue:
 *
 *   a key waits once, for the earliest time that was asked for;
 *   one worker at most is at work on a key; what is asked for meanwhile is done after it, and not forgotten;
 *   what is due first is begun first, and of what is due at once, what was asked for first: no key starves another;
 *   a key that fails comes again after a pause of its own, longer each time, until it succeeds; what asks for it meanwhile ends the
 *   pause, but not the part of it that a server asked for;
 *   once stopped nothing is begun, and what is under way ends.
 */

/** The result of one piece of work. `againInMs`: the key is worked on again then, unless something asks for it before. */
export type WorkResult =
  | { readonly kind: 'done'; readonly againInMs?: number }
  /** `retryAfterMs`: the time that a server asked for. */
  | { readonly kind: 'failed'; readonly retryAfterMs?: number }

/** Never rejects for errors of the outside world: any rejection is a bug, and ends the queue. */
export type Work = (key: string, signal: AbortSignal) => Promise<WorkResult>

interface WorkQueueParts {
  readonly clock: Clock
  readonly random: Random
  /** How many keys may be in work at a time. */
  readonly workers: number
  readonly backoff: BackoffLimits
}

export class WorkQueue {
  readonly #parts: WorkQueueParts
  readonly #wakeup: Wakeup
  /** Keys that wait. The heap may contain entries that were moved since: only the entry noted here counts. */
  readonly #waiting = new Map<string, Due>()
  readonly #heap = new DueHeap()
  /** Keys in work, and when each is due again. */
  readonly #working = new Map<string, { again: MonoMs | undefined; readonly ended: Promise<void> }>()
  readonly #backoffs = new Map<string, Backoff>()
  /** Keys that a server asked to wait until then. */
  readonly #notBefore = new Map<string, MonoMs>()
  #order = 0
  #stopping = false
  #bug: { readonly error: unknown } | undefined
  #running: Promise<void> | undefined

  constructor(parts: WorkQueueParts) {
    invariant(parts.workers >= 1, 'a queue has at least one worker')
    this.#parts = parts
    this.#wakeup = new Wakeup(parts.clock)
  }

  /** Asks for work on this key after this many ms. Does nothing once stopped. */
  add(key: string, inMs = 0): void {
    if (this.#stopping) return
    const at = monoMs(this.#now() + Math.max(0, inMs))
    const working = this.#working.get(key)
    if (working === undefined) this.#wait(key, at)
    else working.again = earlier(working.again, at)
    this.#wakeup.wake()
  }

  /** How many keys wait, due or not. */
  depth(): number {
    return this.#waiting.size
  }

  underWay(): number {
    return this.#working.size
  }

  /** Runs until stopped. Rejects with the signal's reason, once all work under way has ended. */
  run(work: Work, signal: AbortSignal): Promise<void> {
    invariant(this.#running === undefined, 'a queue runs once')
    this.#running = this.#dispatch(work, signal)
    return this.#running
  }

  /** Begins no more work; resolves when all work under way has ended. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#wakeup.wake()
    await Promise.all([...this.#working.values()].map(({ ended }) => ended))
  }

  async #dispatch(work: Work, signal: AbortSignal): Promise<void> {
    const over = new AbortController()
    const life = AbortSignal.any([signal, over.signal])
    try {
      for (;;) {
        if (this.#bug !== undefined) throw this.#bug.error
        if (this.#stopping && this.#working.size === 0) return
        this.#beginDue(work, life)
        await this.#wakeup.next(this.#nextInMs(), signal)
      }
    } finally {
      this.#stopping = true
      over.abort(OVER)
      await Promise.all([...this.#working.values()].map(({ ended }) => ended))
    }
  }

  #beginDue(work: Work, signal: AbortSignal): void {
    while (!this.#stopping && this.#working.size < this.#parts.workers) {
      const first = this.#first()
      if (first === undefined || first.at > this.#now()) return
      this.#heap.pop()
      this.#waiting.delete(first.key)
      this.#notBefore.delete(first.key)
      const ended = Promise.withResolvers<void>()
      this.#working.set(first.key, { again: undefined, ended: ended.promise })
      void this.#workOn(first.key, work, signal).then(ended.resolve)
    }
  }

  async #workOn(key: string, work: Work, signal: AbortSignal): Promise<void> {
    let result: WorkResult | undefined
    try {
      result = await work(key, signal)
    } catch (error) {
      if (!signal.aborted) this.#bug ??= { error }
    }
    const again = earlier(this.#working.get(key)?.again, this.#dueAfter(key, result))
    this.#working.delete(key)
    if (again !== undefined && !this.#stopping) this.#wait(key, again)
    this.#wakeup.wake()
  }

  #dueAfter(key: string, result: WorkResult | undefined): MonoMs | undefined {
    if (result?.kind !== 'failed') this.#backoffs.delete(key)
    const ms = result?.kind === 'failed' ? this.#backoffOf(key).nextMs(result.retryAfterMs) : result?.againInMs
    if (ms === undefined) return undefined
    const now = this.#now()
    const askedMs = result?.kind === 'failed' ? obeyedMs(result.retryAfterMs) : 0
    if (askedMs > 0) this.#notBefore.set(key, monoMs(now + askedMs))
    return monoMs(now + Math.max(1, ms))
  }

  #backoffOf(key: string): Backoff {
    const known = this.#backoffs.get(key)
    if (known !== undefined) return known
    const made = new Backoff(this.#parts.backoff, this.#parts.random)
    this.#backoffs.set(key, made)
    return made
  }

  #wait(key: string, asked: MonoMs): void {
    const at = monoMs(Math.max(asked, this.#notBefore.get(key) ?? asked))
    const known = this.#waiting.get(key)
    if (known !== undefined && known.at <= at) return
    const due: Due = { key, at, order: this.#order++ }
    this.#waiting.set(key, due)
    this.#heap.push(due)
  }

  #first(): Due | undefined {
    for (;;) {
      const first = this.#heap.first()
      if (first === undefined || this.#waiting.get(first.key) === first) return first
      this.#heap.pop()
    }
  }

  /** Time passes also while this machine sleeps: for what is to be looked at again, and for a server that asked to wait. */
  #now(): MonoMs {
    const { clock } = this.#parts
    return monoMs(clock.monoMs() + clock.asleepMs())
  }

  /** Undefined: only a new key ends the wait. */
  #nextInMs(): number | undefined {
    if (this.#stopping || this.#working.size >= this.#parts.workers) return undefined
    const first = this.#first()
    return first === undefined ? undefined : first.at - this.#now()
  }
}

const earlier = (a: MonoMs | undefined, b: MonoMs | undefined): MonoMs | undefined =>
  a === undefined || (b !== undefined && b < a) ? b : a
