import type { Lease } from '../model/lease.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import { NODE_ANNOTATION, RUN_ANNOTATION } from '../model/slot.ts'
import { type MonoMs, toIso } from '../model/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Cluster } from '../ports/cluster.ts'
import { withDeadline } from './deadline.ts'

export interface SlotLeaseParts {
  readonly cluster: Pick<Cluster, 'readLease' | 'writeLease'>
  readonly clock: Clock
  readonly slot: ObjectRef
  readonly run: string
  readonly holder: string
  readonly durationMs: number
}

export interface Written {
  readonly lease: Lease
  /** When it was *sent*: nobody can have seen it earlier. */
  readonly sentAt: MonoMs
}

/** The Lease of one slot, as one holder writes it. Every call has a limit and rejects with DeadlineError or WorldError. */
export class SlotLease {
  readonly #parts: SlotLeaseParts
  #writes = 0

  constructor(parts: SlotLeaseParts) {
    this.#parts = parts
  }

  read(signal: AbortSignal): Promise<Lease | undefined> {
    const { cluster, slot } = this.#parts
    return this.#limited('the Lease read', signal, (limited) => cluster.readLease(slot, limited))
  }

  /** `found`: the Lease as it was read; undefined creates it. */
  claim(node: string, found: Lease | undefined, signal: AbortSignal): Promise<Written> {
    const { slot, run, holder, durationMs } = this.#parts
    const claimed = {
      ...slot,
      resourceVersion: found?.resourceVersion ?? '',
      holder,
      durationSeconds: Math.ceil(durationMs / 1000),
      transitions: (found?.transitions ?? 0) + (found !== undefined && found.holder !== holder ? 1 : 0),
      annotations: { ...found?.annotations, [RUN_ANNOTATION]: run, [NODE_ANNOTATION]: node },
    }
    return this.#write(claimed, signal)
  }

  renew(lease: Lease, signal: AbortSignal): Promise<Written> {
    return this.#write(lease, signal)
  }

  /** Nobody's any more; annotations that are not ours stay. */
  clear(lease: Lease, signal: AbortSignal): Promise<Written> {
    const foreign = Object.entries(lease.annotations).filter(
      ([key]) => ![RUN_ANNOTATION, NODE_ANNOTATION].includes(key),
    )
    return this.#write({ ...lease, holder: '', annotations: Object.fromEntries(foreign) }, signal)
  }

  async #write(lease: Omit<Lease, 'renewTime'>, signal: AbortSignal): Promise<Written> {
    const sentAt = this.#parts.clock.monoMs()
    const stamped = { ...lease, renewTime: this.#stamp() }
    const written = await this.#limited('the Lease write', signal, (limited) =>
      this.#parts.cluster.writeLease(stamped, limited),
    )
    return { lease: written, sentAt }
  }

  /** A quarter of the duration, so that a call that hangs leaves time for another while the holder may still act. */
  #limited<T>(what: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withDeadline({ clock: this.#parts.clock, limitMs: this.#parts.durationMs / 4, signal, what }, work)
  }

  /** MicroTime. The last digits count our writes: one that changes nothing is not stored, and would not be seen. */
  #stamp(): string {
    this.#writes = (this.#writes + 1) % 1000
    return toIso(this.#parts.clock.wallMs()).replace('Z', `${String(this.#writes).padStart(3, '0')}Z`)
  }
}
