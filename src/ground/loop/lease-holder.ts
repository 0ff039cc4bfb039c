import { invariant } from '../model/invariant.ts'
import type { Lease } from '../model/lease.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import { type MonoMs, toIso } from '../model/time.ts'
import { WorldError } from '../model/world-error.ts'
import type { Clock } from '../ports/clock.ts'
import type { Cluster } from '../ports/cluster.ts'
import { DeadlineError, withDeadline } from './deadline.ts'
import { LeaseWatcher } from './lease-watcher.ts'

interface LeaseHolderParts {
  readonly cluster: Pick<Cluster, 'readLease' | 'writeLease'>
  readonly clock: Clock
  readonly lease: ObjectRef
  /** Our name in the Lease. */
  readonly holder: string
  /** At least a second: a Lease counts in whole ones. */
  readonly durationMs: number
  readonly callLimitMs: number
}

interface Held {
  readonly lease: Lease
  /** When the renewal was *sent*: no process can have seen it earlier. */
  readonly sentAt: MonoMs
  /** How long the machine had slept by then. */
  readonly asleepMs: number
}

/**
 * One Lease that this process claims, renews and clears. What a refused write means is decided by the user of this class:
 * `mayHaveMoved` says when to read the Lease again. Every call has a limit and rejects with DeadlineError or WorldError.
 */
export class LeaseHolder {
  readonly #parts: LeaseHolderParts
  readonly #watcher: LeaseWatcher
  #held: Held | undefined
  #writes = 0

  constructor(parts: LeaseHolderParts) {
    invariant(parts.durationMs >= 1000, 'a Lease lasts a second at least')
    this.#parts = parts
    this.#watcher = new LeaseWatcher(parts.durationMs)
  }

  /** The Lease as we wrote it last; undefined until a claim was answered. */
  get held(): Held | undefined {
    return this.#held
  }

  /**
   * What is left of two thirds of the duration since the last renewal was sent: a third before the Lease may be stale. The time in
   * which this machine slept counts, since it passed for all others.
   */
  mayActForMs(): number {
    if (this.#held === undefined) return 0
    const { clock, durationMs } = this.#parts
    const passedMs = clock.monoMs() - this.#held.sentAt + clock.asleepMs() - this.#held.asleepMs
    return Math.max(0, (durationMs * 2) / 3 - passedMs)
  }

  /** How long until this Lease, or the one that it lives by, is stale if it is never seen to change; 0: it is. */
  staleInMs(lease: Lease): number {
    return this.#watcher.staleInMs(lease, this.#parts.clock.monoMs())
  }

  read(signal: AbortSignal): Promise<Lease | undefined> {
    const { cluster, lease } = this.#parts
    return this.#limited('the Lease read', signal, (limited) => cluster.readLease(lease, limited))
  }

  /**
   * Makes the Lease ours, if it still has the version that was read; undefined creates it. `annotations`: all that it has then.
   */
  claim(found: Lease | undefined, annotations: Lease['annotations'], signal: AbortSignal): Promise<void> {
    const { lease, holder, durationMs } = this.#parts
    const claimed = {
      ...lease,
      resourceVersion: found?.resourceVersion ?? '',
      holder,
      durationSeconds: Math.ceil(durationMs / 1000),
      transitions: (found?.transitions ?? 0) + (found !== undefined && found.holder !== holder ? 1 : 0),
      annotations,
    }
    return this.renew(claimed, signal)
  }

  /** `lease`: one that is ours already, as it was written or read last. */
  async renew(lease: Omit<Lease, 'renewTime'>, signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts
    const [sentAt, asleepMs] = [clock.monoMs(), clock.asleepMs()]
    this.#held = { lease: await this.#write(lease, signal), sentAt, asleepMs }
  }

  /**
   * The Lease still names us, in another version: the next renewal uses that version, and the time left counts from the last
   * renewal.
   */
  adopt(lease: Lease): void {
    if (this.#held !== undefined) this.#held = { ...this.#held, lease }
  }

  /** Removes the holder: the next process that reads the Lease may take it at once. `left`: other changes. */
  async clear(
    lease: Lease,
    left: Partial<Pick<Lease, 'annotations' | 'durationSeconds'>>,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#write({ ...lease, holder: '', ...left }, signal)
  }

  forget(): void {
    this.#held = undefined
  }

  #write(lease: Omit<Lease, 'renewTime'>, signal: AbortSignal): Promise<Lease> {
    const stamped = { ...lease, renewTime: this.#stamp() }
    return this.#limited('the Lease write', signal, (limited) => this.#parts.cluster.writeLease(stamped, limited))
  }

  #limited<T>(what: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, callLimitMs } = this.#parts
    return withDeadline({ clock, limitMs: callLimitMs, signal, what }, work)
  }

  /** MicroTime. The last digits count our writes: a write that changes nothing is not stored, and no process would see it. */
  #stamp(): string {
    this.#writes = (this.#writes + 1) % 1000
    return toIso(this.#parts.clock.wallMs()).replace('Z', `${String(this.#writes).padStart(3, '0')}Z`)
  }
}

export const isConflict = (error: unknown): boolean => error instanceof WorldError && error.code === 'KUBE_CONFLICT'

/** Refused for good: the Lease was changed or deleted, or we may not write it. */
export const mayHaveMoved = (error: unknown): boolean =>
  isConflict(error) || (error instanceof WorldError && error.retry === 'never')

/** The API did not answer: the write may have been done. */
export const isUnanswered = (error: unknown): error is WorldError | DeadlineError =>
  error instanceof WorldError || error instanceof DeadlineError

export const retryAfterMs = (error: unknown): number | undefined =>
  error instanceof WorldError ? error.retryAfterMs : undefined
