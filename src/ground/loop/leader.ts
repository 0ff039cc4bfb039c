import type { Lease } from '../model/lease.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import { present } from '../model/present.ts'
import type { Reason } from '../model/reason.ts'
import type { MonoMs } from '../model/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Cluster } from '../ports/cluster.ts'
import type { Random } from '../ports/random.ts'
import { Backoff } from './backoff.ts'
import { DeadlineError, withDeadline } from './deadline.ts'
import { isConflict, isUnanswered, LeaseHolder, mayHaveMoved, retryAfterMs } from './lease-holder.ts'

interface LeaderParts {
  readonly cluster: Pick<Cluster, 'readLease' | 'writeLease'>
  readonly clock: Clock
  readonly random: Random
  readonly lease: ObjectRef
  /** Distinguishes this process from any other, also from those of the same pod. */
  readonly identity: string
  /** client-go's are 15 s; a leader gives up at two thirds of it, and renews at two fifteenths. */
  readonly durationMs: number
  /** It leads, or has stopped leading. It must only take note. */
  readonly onChange: () => void
}

/** The longest pause, however long a Lease lasts: a free Lease is taken soon. */
const RETRY_MS_MAX = 10_000
const RELEASED = { durationSeconds: 1 }

export interface LeaderStatus {
  readonly state: 'standby' | 'leading' | 'over'
  /** The holder of the Lease, as last seen; empty if there is none. */
  readonly holder: string
  /** Why the last try to read or write the Lease failed, if it did. */
  readonly trouble?: string
  /** The time since the Lease was last asked for; a long time means that the process hangs. */
  readonly triedAgoMs: number
}

/**
 * One of several processes acts, by one Lease:
 *
 *     standby --free, or unchanged for the duration as we saw it--> leading --released--> over
 *                                                                      |
 *                                    not renewed in two thirds of it --+-- another process holds it --> over
 *
 * A leader that could not renew stops acting a third of the duration before another may find its Lease stale, and never
 * acts again: its process ends, and the next one derives everything from the cluster. Judged by the observer's own
 * monotonic clock, never by the times in the Lease. A Lease that a person deletes or empties by hand is beyond this law:
 * what a leader writes must be refused where the world has moved on (resourceVersion).
 */
export class Leader {
  readonly #parts: LeaderParts
  readonly #lease: LeaseHolder
  readonly #backoff: Backoff
  readonly #retryMs: number
  #isOver = false
  #holder = ''
  #trouble: string | undefined
  #triedAt: MonoMs

  constructor(parts: LeaderParts) {
    this.#parts = parts
    this.#retryMs = Math.min((parts.durationMs * 2) / 15, RETRY_MS_MAX)
    this.#lease = new LeaseHolder({ ...parts, holder: parts.identity, callLimitMs: parts.durationMs / 3 })
    this.#backoff = new Backoff({ baseMs: this.#retryMs / 2, capMs: this.#retryMs }, parts.random)
    this.#triedAt = parts.clock.monoMs()
  }

  /** Ask before every effect. */
  isLeading(): boolean {
    return this.mayActForMs() > 0
  }

  /** What is left of two thirds of the duration since the last renewal was sent: the time limit of an effect. */
  mayActForMs(): number {
    return this.#isOver ? 0 : this.#lease.mayActForMs()
  }

  status(): LeaderStatus {
    const state = this.#isOver ? 'over' : this.isLeading() ? 'leading' : 'standby'
    const triedAgoMs = this.#parts.clock.monoMs() - this.#triedAt
    return {
      state,
      holder: this.#holder,
      triedAgoMs,
      ...present({ trouble: this.#trouble }),
    }
  }

  /** Waits, leads, and resolves with the reason why that is over. Rejects with the signal's reason. */
  async run(signal: AbortSignal): Promise<Reason> {
    await this.#stand(signal)
    this.#parts.onChange()
    try {
      return await this.#lead(signal)
    } finally {
      if (!signal.aborted) this.#end()
    }
  }

  /** Ends all effects from this call on; the Lease is free when it resolves. `run` has settled before. */
  async release(signal: AbortSignal): Promise<void> {
    this.#end()
    const { held } = this.#lease
    if (held === undefined) return
    try {
      await this.#lease.clear(held.lease, RELEASED, signal)
    } catch (error) {
      if (!isConflict(error)) throw error
      // A renewal whose answer did not reach us.
      const found = await this.#lease.read(signal)
      if (found?.holder === this.#parts.identity) await this.#lease.clear(found, RELEASED, signal)
    }
    this.#holder = ''
  }

  #end(): void {
    this.#isOver = true
    this.#parts.onChange()
  }

  async #stand(signal: AbortSignal): Promise<void> {
    for (;;) {
      const pauseMs = await this.#tried(() => this.#tryToLead(signal), signal)
      if (this.#lease.held !== undefined) return
      await this.#parts.clock.sleep(pauseMs ?? this.#jittered(this.#retryMs), signal)
    }
  }

  async #tryToLead(signal: AbortSignal): Promise<void> {
    const found = await this.#lease.read(signal)
    this.#holder = found?.holder ?? ''
    if (found !== undefined && !this.#mayTake(found)) return
    try {
      await this.#lease.claim(found, found?.annotations ?? {}, signal)
      this.#holder = this.#parts.identity
    } catch (error) {
      if (!isConflict(error)) throw error
    }
  }

  /** If we are the holder, that is a claim whose answer did not reach us; it counts from when it is written again. */
  #mayTake(lease: Lease): boolean {
    if (lease.holder === '' || lease.holder === this.#parts.identity) return true
    return this.#lease.staleInMs(lease) === 0
  }

  async #lead(signal: AbortSignal): Promise<Reason> {
    const { clock } = this.#parts
    for (;;) {
      await clock.sleep(Math.min(this.#jittered(this.#retryMs), this.mayActForMs()), signal)
      const limitMs = this.mayActForMs()
      if (limitMs === 0) return this.#lapsed()
      try {
        const limit = { clock, limitMs, signal, what: 'the renewal' }
        const lost = await withDeadline(limit, (limited) => this.#renewOrLose(limited))
        if (lost !== undefined) return lost
      } catch (error) {
        if (!(error instanceof DeadlineError)) throw error
        return this.#lapsed()
      }
    }
  }

  /** Tries until the Lease is renewed, or has another holder. */
  async #renewOrLose(signal: AbortSignal): Promise<Reason | undefined> {
    for (;;) {
      let lost: Reason | undefined
      const pauseMs = await this.#tried(async () => {
        lost = await this.#renew(signal)
      }, signal)
      if (pauseMs === undefined) return lost
      await this.#parts.clock.sleep(pauseMs, signal)
    }
  }

  async #renew(signal: AbortSignal): Promise<Reason | undefined> {
    const { held } = this.#lease
    if (held === undefined) return undefined
    try {
      await this.#lease.claim(held.lease, held.lease.annotations, signal)
      return undefined
    } catch (error) {
      if (!mayHaveMoved(error)) throw error
      const found = await this.#lease.read(signal)
      this.#holder = found?.holder ?? ''
      if (found?.holder !== this.#parts.identity) return this.#taken(found)
      // Written by us without an answer, or by another client that left our name in it: the next try uses its present state.
      this.#lease.adopt(found)
      throw error
    }
  }

  /** How long to wait if the API did not do it; undefined if it did. Rejects for bugs, and when aborted. */
  async #tried(work: () => Promise<void>, signal: AbortSignal): Promise<number | undefined> {
    this.#triedAt = this.#parts.clock.monoMs()
    try {
      await work()
      this.#trouble = undefined
      this.#backoff.reset()
      return undefined
    } catch (error) {
      signal.throwIfAborted()
      if (!isUnanswered(error)) throw error
      this.#trouble = error.message
      return this.#backoff.nextMs(retryAfterMs(error))
    }
  }

  /** client-go's factor of 1.2 has the same purpose: candidates do not come together. */
  #jittered(ms: number): number {
    return ms * (0.8 + 0.4 * this.#parts.random.next())
  }

  #lapsed(): Reason {
    const why = this.#trouble === undefined ? '' : `: ${this.#trouble}`
    const seconds = Math.round((this.#parts.durationMs * 2) / 3_000)
    return { code: 'LeadershipLapsed', text: `the Lease could not be renewed within ${seconds} s${why}` }
  }

  #taken(found: Lease | undefined): Reason {
    const by =
      found === undefined ? 'it was deleted' : found.holder === '' ? 'no process holds it' : `held by ${found.holder}`
    return { code: 'LeadershipLost', text: `this process no longer holds the Lease: ${by}` }
  }
}
