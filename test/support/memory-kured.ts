import { type KuredDaemonSet, lockHoldings } from '../../src/ground/model/kured-lock.ts'
import type { ObjectRef } from '../../src/ground/model/object-ref.ts'
import { WorldError } from '../../src/ground/model/world-error.ts'
import type { KuredLocks } from '../../src/roll/ports/kured-locks.ts'
import type { MemoryCluster } from './memory-cluster.ts'
import { aWorkload } from './roll-world.ts'

export const KURED: ObjectRef = { namespace: 'kube-system', name: 'kured' }

/** kured's DaemonSet with its lock; watches show each change at once. */
export class MemoryKured implements KuredLocks {
  readonly #cluster: MemoryCluster
  /** The owners of the lock, one after the other; empty where it was free. */
  readonly owners: string[] = []
  #version = 1
  #lock: string | undefined

  constructor(cluster: MemoryCluster) {
    this.#cluster = cluster
    this.put(null)
  }

  /** As kured or a person writes it; null: it is removed. */
  put(lock: string | null): void {
    this.#version += 1
    this.#lock = lock ?? undefined
    const owner = this.owner
    if (this.owners.at(-1) !== owner) this.owners.push(owner)
    const held = this.#lock === undefined ? {} : { rebootLock: this.#lock }
    this.#cluster.changeDaemonSet(aWorkload({ ...KURED, kind: 'DaemonSet', uid: 'uid-kured', ...held }))
  }

  /** A node that kured drains and reboots. */
  takeFor(node: string): void {
    this.put(JSON.stringify({ nodeID: node, metadata: {}, created: '2026-01-01T00:00:00Z', TTL: 0 }))
  }

  get owner(): string {
    return [...new Set((lockHoldings(this.#lock ?? '{"locks":[]}') ?? []).map(({ owner }) => owner))].join(' ')
  }

  read(): Promise<KuredDaemonSet> {
    const lock = this.#lock === undefined ? {} : { lock: this.#lock }
    return Promise.resolve({ ...KURED, resourceVersion: String(this.#version), concurrency: 1, ...lock })
  }

  write(seen: KuredDaemonSet, lock: string | null): Promise<void> {
    if (seen.resourceVersion !== String(this.#version))
      return Promise.reject(new WorldError('the object has been modified', { code: 'KUBE_CONFLICT', retry: 'now' }))
    this.put(lock)
    return Promise.resolve()
  }
}
