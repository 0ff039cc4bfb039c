import type { Lease } from '../model/lease.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import { type MonoMs, toIso } from '../model/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Cluster } from '../ports/cluster.ts'
import { withDeadline } from './deadline.ts'

export interface LeaderLeaseParts {
  readonly cluster: Pick<Cluster, 'readLease' | 'writeLease'>
  readonly clock: Clock
  readonly lease: ObjectRef
  readonly identity: string
  readonly durationMs: number
  readonly callLimitMs: number
}

export interface Claimed {
  readonly lease: Lease
  /** When it was *sent*: nobody can have seen it earlier. */
  readonly sentAt: MonoMs
}

/** The one Lease by which a leader is known, as one candidate writes it. Calls have a limit: DeadlineError, or WorldError. */
export class LeaderLease {
  readonly #parts: LeaderLeaseParts
  #writes = 0

  constructor(parts: LeaderLeaseParts) {
    this.#parts = parts
  }

  read(signal: AbortSignal): Promise<Lease | undefined> {
    const { cluster, lease } = this.#parts
    return this.#limited('the Lease read', signal, (limited) => cluster.readLease(lease, limited))
  }

  /** Ours from now on, under the version that was read; undefined creates it. */
  claim(found: Lease | undefined, signal: AbortSignal): Promise<Claimed> {
    const { lease, identity, durationMs } = this.#parts
    const isAnew = found !== undefined && found.holder !== identity
    const claimed = {
      ...lease,
      resourceVersion: found?.resourceVersion ?? '',
      holder: identity,
      durationSeconds: Math.ceil(durationMs / 1000),
      transitions: (found?.transitions ?? 0) + (isAnew ? 1 : 0),
      annotations: found?.annotations ?? {},
    }
    return this.#write(claimed, signal)
  }

  /** Nobody's any more: whoever looks next may have it at once. */
  clear(lease: Lease, signal: AbortSignal): Promise<Claimed> {
    return this.#write({ ...lease, holder: '', durationSeconds: 1 }, signal)
  }

  async #write(lease: Omit<Lease, 'renewTime'>, signal: AbortSignal): Promise<Claimed> {
    const sentAt = this.#parts.clock.monoMs()
    const stamped = { ...lease, renewTime: this.#stamp() }
    const written = await this.#limited('the Lease write', signal, (limited) =>
      this.#parts.cluster.writeLease(stamped, limited),
    )
    return { lease: written, sentAt }
  }

  #limited<T>(what: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, callLimitMs } = this.#parts
    return withDeadline({ clock, limitMs: callLimitMs, signal, what }, work)
  }

  /** MicroTime. The last digits count our writes: one that changes nothing is not stored, and would not be seen. */
  #stamp(): string {
    this.#writes = (this.#writes + 1) % 1000
    return toIso(this.#parts.clock.wallMs()).replace('Z', `${String(this.#writes).padStart(3, '0')}Z`)
  }
}
