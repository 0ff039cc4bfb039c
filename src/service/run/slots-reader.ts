import { LeaseWatcher } from '../../ground/loop/lease-watcher.ts'
import { mapAtOnce } from '../../ground/loop/map-at-once.ts'
import type { Lease } from '../../ground/model/lease.ts'
import { type ObjectRef, refKey } from '../../ground/model/object-ref.ts'
import { type SeenSlot, slotOwner, slotRef } from '../../ground/model/slot.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import { leadingLease, livesBy } from './living-lease.ts'

interface SlotsReaderParts {
  readonly cluster: Pick<Cluster, 'readLease'>
  readonly clock: Clock
  readonly namespace: string
  readonly durationMs: number
}

/** However large a budget was, this read ends. */
const SLOTS_MAX = 10_000
/**
 * A tenth of 500 nodes is 50 slots, and each roll that waits reads them every few seconds. They are asked for by their names,
 * since to list Leases is a right that a roll has not: one that lists those of the slots' namespace reads all others there too.
 */
const READS_AT_ONCE = 8

/** The Leases that slots live by, each asked for once a reading: a controller has all of its slots by one. */
type Leading = (ref: ObjectRef) => Promise<Lease | 'forbidden'>

/**
 * Reads the holders of the slots of the node budget, and tells by its own clock which of them are stale. Slots are taken from 0
 * on, so that behind the first one that never was there is none: also those above a budget that has become smaller are found.
 */
export class SlotsReader {
  readonly #parts: SlotsReaderParts
  readonly #watchers = new Map<string, LeaseWatcher>()

  constructor(parts: SlotsReaderParts) {
    this.#parts = parts
  }

  /** As of the call or later. `count`: how many there may be at least. Rejects with WorldError. */
  async read(count: number, signal: AbortSignal): Promise<readonly SeenSlot[]> {
    const { namespace } = this.#parts
    const refs = Array.from({ length: count }, (_, index) => slotRef(namespace, index))
    const sure = await mapAtOnce(refs, READS_AT_ONCE, (ref) => this.#lease(ref, signal))
    const leases = sure.map((lease, index) => ({ lease, index }))
    for (let index = count; index < SLOTS_MAX; index += 1) {
      const lease = await this.#more(slotRef(namespace, index), signal)
      if (lease === undefined) break
      leases.push({ lease, index })
    }
    const leading = this.#leading(signal)
    const seen = await mapAtOnce(leases, READS_AT_ONCE, ({ lease, index }) => this.#seen(index, lease, leading))
    return seen.flatMap((slot) => slot ?? [])
  }

  #lease(ref: ObjectRef, signal: AbortSignal): Promise<Lease | undefined> {
    return this.#parts.cluster.readLease(ref, signal)
  }

  /** Rights may be given for the slots by their names: then there are no others. */
  async #more(ref: ObjectRef, signal: AbortSignal): Promise<Lease | undefined> {
    try {
      return await this.#lease(ref, signal)
    } catch (error) {
      if (error instanceof WorldError && error.code === 'KUBE_FORBIDDEN') return undefined
      throw error
    }
  }

  #leading(signal: AbortSignal): Leading {
    const asked = new Map<string, ReturnType<Leading>>()
    return (ref) => {
      const known = asked.get(refKey(ref)) ?? leadingLease((at) => this.#lease(at, signal), ref)
      asked.set(refKey(ref), known)
      return known
    }
  }

  async #seen(index: number, lease: Lease | undefined, leading: Leading): Promise<SeenSlot | undefined> {
    const owner = lease === undefined ? undefined : slotOwner(lease)
    if (lease === undefined || owner === undefined) return undefined
    const ref = livesBy(lease)
    if (ref === undefined) return { index, owner, isStale: this.#isStale(lease), ...lived(lease) }
    const led = await leading(ref)
    if (led === 'forbidden') return { index, owner, isStale: false, ...HIDDEN, livesBy: ref }
    const unled = led.holder === '' ? { isUnled: true as const } : {}
    return { index, owner, isStale: this.#isStale(led), ...lived(led), ...unled, livesBy: ref }
  }

  #isStale(lease: Lease): boolean {
    const key = refKey(lease)
    const watcher = this.#watchers.get(key) ?? new LeaseWatcher(this.#parts.durationMs)
    this.#watchers.set(key, watcher)
    return watcher.staleInMs(lease, this.#parts.clock.monoMs()) === 0
  }
}

const HIDDEN = { isHidden: true, renewTime: '', durationMs: 0 } as const

const lived = ({ renewTime, durationSeconds }: Lease) => ({ renewTime, durationMs: durationSeconds * 1_000 })
