import type { Lease } from '../model/lease.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import { type MonoMs, toIso } from '../model/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Cluster } from '../ports/cluster.ts'
import { withDeadline } from './deadline.ts'

export interface TimelyLeaseParts {
  readonly cluster: Pick<Cluster, 'readLease' | 'writeLease'>
  readonly clock: Clock
  readonly lease: ObjectRef
  readonly callLimitMs: number
}

export interface Written {
  readonly lease: Lease
  /** When it was *sent*: nobody can have seen it earlier. */
  readonly sentAt: MonoMs
}

/** One Lease, read and written by one process. Every call has a limit and rejects with DeadlineError or WorldError. */
export class TimelyLease {
  readonly #parts: TimelyLeaseParts
  #writes = 0

  constructor(parts: TimelyLeaseParts) {
    this.#parts = parts
  }

  read(signal: AbortSignal): Promise<Lease | undefined> {
    const { cluster, lease } = this.#parts
    return this.#limited('the Lease read', signal, (limited) => cluster.readLease(lease, limited))
  }

  async write(lease: Omit<Lease, 'renewTime'>, signal: AbortSignal): Promise<Written> {
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
