import type { Lease } from '../model/lease.ts'
import { TimelyLease, type TimelyLeaseParts, type Written } from './timely-lease.ts'

interface LeaderLeaseParts extends TimelyLeaseParts {
  readonly identity: string
  readonly durationMs: number
}

/** The one Lease by which a leader is known, as one candidate writes it. */
export class LeaderLease {
  readonly #parts: LeaderLeaseParts
  readonly #lease: TimelyLease

  constructor(parts: LeaderLeaseParts) {
    this.#parts = parts
    this.#lease = new TimelyLease(parts)
  }

  read(signal: AbortSignal): Promise<Lease | undefined> {
    return this.#lease.read(signal)
  }

  /** Ours from now on, under the version that was read; undefined creates it. */
  claim(found: Lease | undefined, signal: AbortSignal): Promise<Written> {
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
    return this.#lease.write(claimed, signal)
  }

  /** Nobody's any more: whoever looks next may have it at once. */
  clear(lease: Lease, signal: AbortSignal): Promise<Written> {
    return this.#lease.write({ ...lease, holder: '', durationSeconds: 1 }, signal)
  }
}
