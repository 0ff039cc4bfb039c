import type { Lease } from '../model/lease.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import { LIVES_BY_ANNOTATION, NODE_ANNOTATION, RUN_ANNOTATION } from '../model/slot.ts'
import type { Clock } from '../ports/clock.ts'
import type { Cluster } from '../ports/cluster.ts'
import { TimelyLease, type Written } from './timely-lease.ts'

interface SlotLeaseParts {
  readonly cluster: Pick<Cluster, 'readLease' | 'writeLease'>
  readonly clock: Clock
  readonly slot: ObjectRef
  readonly run: string
  readonly holder: string
  readonly durationMs: number
}

/** The Lease of one slot, as one holder writes it. */
export class SlotLease {
  readonly #parts: SlotLeaseParts
  readonly #lease: TimelyLease

  constructor(parts: SlotLeaseParts) {
    this.#parts = parts
    // A quarter of the duration, so that a call that hangs leaves time for another while the holder may still act.
    this.#lease = new TimelyLease({ ...parts, lease: parts.slot, callLimitMs: parts.durationMs / 4 })
  }

  read(signal: AbortSignal): Promise<Lease | undefined> {
    return this.#lease.read(signal)
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
      annotations: { ...foreign(found), [RUN_ANNOTATION]: run, [NODE_ANNOTATION]: node },
    }
    return this.#lease.write(claimed, signal)
  }

  renew(lease: Lease, signal: AbortSignal): Promise<Written> {
    return this.#lease.write(lease, signal)
  }

  /** Nobody's any more; annotations that are not ours stay. */
  clear(lease: Lease, signal: AbortSignal): Promise<Written> {
    return this.#lease.write({ ...lease, holder: '', annotations: foreign(lease) }, signal)
  }
}

const OURS: readonly string[] = [RUN_ANNOTATION, NODE_ANNOTATION, LIVES_BY_ANNOTATION]

/** What is not about the holder. */
const foreign = (lease: Lease | undefined): Lease['annotations'] =>
  Object.fromEntries(Object.entries(lease?.annotations ?? {}).filter(([key]) => !OURS.includes(key)))
