import type { Lease } from '../../src/ground/model/lease.ts'
import type { ObjectRef } from '../../src/ground/model/object-ref.ts'
import type { LeaseClient } from './lease-store.ts'

/** One process's way to its Leases, where a write can fail while reads go on, and another writer can come first. */
export class FlakyLeases {
  readonly #client: LeaseClient
  /** What each write is answered with, instead of being done. */
  writeError: Error | undefined
  /** Another writer's turn, just before the next write. */
  meanwhile: (() => void) | undefined
  reads = 0
  writes = 0

  constructor(client: LeaseClient) {
    this.#client = client
  }

  readLease(ref: ObjectRef, signal: AbortSignal): Promise<Lease | undefined> {
    this.reads += 1
    return this.#client.readLease(ref, signal)
  }

  writeLease(lease: Lease, signal: AbortSignal): Promise<Lease> {
    this.writes += 1
    this.meanwhile?.()
    this.meanwhile = undefined
    return this.writeError === undefined ? this.#client.writeLease(lease, signal) : Promise.reject(this.writeError)
  }
}
