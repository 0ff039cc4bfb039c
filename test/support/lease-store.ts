import type { Lease } from '../../src/ground/model/lease.ts'
import { type ObjectRef, refKey } from '../../src/ground/model/object-ref.ts'
import { WorldError } from '../../src/ground/model/world-error.ts'
import type { Clock } from '../../src/ground/ports/clock.ts'

/**
 * What goes wrong with calls made from now on:
 * - lost: neither request nor answer arrives
 * - deaf: the server does what was asked, the answer is lost
 * - hanging: no answer and no error, ever
 */
export type LeaseFault = 'none' | 'lost' | 'deaf' | 'hanging' | 'forbidden'

/**
 * Leases as an API server keeps them: a write under another resourceVersion than the stored one is a conflict, and a
 * write that changes nothing leaves the resourceVersion as it is. `client()` is one process's way to them.
 */
export class LeaseStore {
  readonly #clock: Clock
  readonly #leases = new Map<string, Lease>()
  #version = 0
  writes = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get(ref: ObjectRef): Lease | undefined {
    return this.#leases.get(refKey(ref))
  }

  delete(ref: ObjectRef): void {
    this.#leases.delete(refKey(ref))
  }

  /** As a person with kubectl would: no version asked. */
  put(lease: Lease): void {
    this.#leases.set(refKey(lease), { ...lease, resourceVersion: this.#nextVersion() })
  }

  client(latencyMs = 0): LeaseClient {
    return new LeaseClient(this, this.#clock, latencyMs)
  }

  write(lease: Lease): Lease {
    const stored = this.get(lease)
    if (stored === undefined && lease.resourceVersion !== '') {
      throw new WorldError(`leases "${lease.name}" not found`, { code: 'KUBE_NOT_FOUND', retry: 'never' })
    }
    if ((stored?.resourceVersion ?? '') !== lease.resourceVersion) {
      throw new WorldError('the object has been modified', { code: 'KUBE_CONFLICT', retry: 'now' })
    }
    this.writes += 1
    if (stored !== undefined && JSON.stringify(stored) === JSON.stringify(lease)) return stored
    const written = { ...lease, resourceVersion: this.#nextVersion() }
    this.#leases.set(refKey(lease), written)
    return written
  }

  #nextVersion(): string {
    this.#version += 1
    return String(this.#version)
  }
}

export class LeaseClient {
  readonly #store: LeaseStore
  readonly #clock: Clock
  readonly #latencyMs: number
  fault: LeaseFault = 'none'
  /** What others do between the next read and its answer. */
  afterRead: () => void = () => undefined

  constructor(store: LeaseStore, clock: Clock, latencyMs: number) {
    this.#store = store
    this.#clock = clock
    this.#latencyMs = latencyMs
  }

  readLease(ref: ObjectRef, signal: AbortSignal): Promise<Lease | undefined> {
    return this.#call(() => {
      const found = this.#store.get(ref)
      this.afterRead()
      return found
    }, signal)
  }

  writeLease(lease: Lease, signal: AbortSignal): Promise<Lease> {
    return this.#call(() => this.#store.write(lease), signal)
  }

  async #call<T>(work: () => T, signal: AbortSignal): Promise<T> {
    const fault = this.fault
    signal.throwIfAborted()
    if (fault === 'hanging') return this.#never(signal)
    if (this.#latencyMs > 0) await this.#clock.sleep(this.#latencyMs, signal)
    if (fault === 'lost') throw new WorldError('connect ECONNREFUSED', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
    if (fault === 'forbidden') throw new WorldError('leases is forbidden', { code: 'KUBE_FORBIDDEN', retry: 'never' })
    const result = work()
    if (fault === 'deaf') throw new WorldError('socket hang up', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
    return result
  }

  #never(signal: AbortSignal): Promise<never> {
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
  }
}
