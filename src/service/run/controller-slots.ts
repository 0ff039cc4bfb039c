import type { Leader } from '../../ground/loop/leader.ts'
import { isConflict, LeaseHolder } from '../../ground/loop/lease-holder.ts'
import type { Lease } from '../../ground/model/lease.ts'
import { type ObjectRef, refKey } from '../../ground/model/object-ref.ts'
import {
  LIVES_BY_ANNOTATION,
  NODE_ANNOTATION,
  notOfTheHolder,
  type SeenSlot,
  slotOwner,
  slotRef,
} from '../../ground/model/slot.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import { leadingLease, livesBy } from './living-lease.ts'

interface ControllerSlotsParts {
  readonly cluster: Pick<Cluster, 'readLease' | 'writeLease'>
  readonly clock: Clock
  /** Of the slots. */
  readonly namespace: string
  /** By which the controller leads: its slots live as long as that is renewed. */
  readonly lease: ObjectRef
  readonly leader: Pick<Leader, 'mayActForMs'>
  /** The object that the slots are for: two objects of one controller do not share a slot. Absent: the controller has one loop. */
  readonly of?: string
}

/** `taken`: by whom, as the Lease says; free text. */
type TakeAnswer = { readonly kind: 'held' } | { readonly kind: 'taken'; readonly holder: string }

const CALL_LIMIT_MS = 5_000
/** The shortest that there is: what counts is the Lease that the slot lives by. */
const SLOT_MS = 1_000

/**
 * Slots of the node budget that a controller holds: many, and none is renewed. Each names the controller's Lease, and lives
 * while that one is renewed, by whichever process leads. So the next leader has them at once, with what the last one was
 * killed over: a slot without a claim on its node is given back or used by it. They outlive a leader by no more than the
 * time that another process takes to find its Lease stale.
 *
 * Only a leader writes. What one still sends that leads no more is refused where the next has written since.
 *
 * Law: the slots of a controller live while its Lease is renewed, by whichever replica leads.
 */
export class ControllerSlots {
  readonly #parts: ControllerSlotsParts
  readonly #leases = new Map<number, LeaseHolder>()

  constructor(parts: ControllerSlotsParts) {
    this.#parts = parts
  }

  /** The holder in each Lease: the controller and no process of it. */
  get holder(): string {
    const { lease, of } = this.#parts
    return of === undefined ? `controller/${lease.name}` : `controller/${lease.name}/${of}`
  }

  /** The `slotIdentity` of its slots. */
  get identity(): string {
    return `${refKey(this.#parts.lease)} ${this.holder}`
  }

  /**
   * One try for a slot that the reading showed free, ours or stale. Rejects with WorldError SLOT_LAPSED where this process
   * does not lead. `stale`: the slot as the reading showed it stale, to be taken from that holder and no other.
   */
  async take(
    { index, node, stale }: { readonly index: number; readonly node: string; readonly stale?: SeenSlot },
    signal: AbortSignal,
  ): Promise<TakeAnswer> {
    const lease = this.#lease(index)
    const found = await lease.read(signal)
    const isFree = found === undefined || this.#mayTake(found, node)
    if (!isFree && !(stale !== undefined && (await this.#isStill(stale, found, signal))))
      return { kind: 'taken', holder: found.holder }
    this.#mustLead()
    try {
      await lease.claim(found, this.#annotations(node, found), signal)
      return { kind: 'held' }
    } catch (error) {
      if (!isConflict(error)) throw error
      return { kind: 'taken', holder: (await lease.read(signal))?.holder ?? '' }
    }
  }

  /** Clears the holder where the slot is the controller's and for that node: the last thing done for a node. */
  async release(
    { index, node }: { readonly index: number; readonly node: string },
    signal: AbortSignal,
  ): Promise<void> {
    const lease = this.#lease(index)
    const found = await lease.read(signal)
    if (found === undefined || !this.#isOurs(found) || found.annotations[NODE_ANNOTATION] !== node) return
    this.#mustLead()
    await lease.clear(found, { annotations: notOfTheHolder(found.annotations) }, signal)
  }

  #mayTake(found: Lease, node: string): boolean {
    if (found.holder === '') return true
    return this.#isOurs(found) && found.annotations[NODE_ANNOTATION] === node
  }

  /** Nothing was written since it was found stale. The reading may be old: the slot may have another holder, or it lives again. */
  async #isStill(stale: SeenSlot, found: Lease, signal: AbortSignal): Promise<boolean> {
    const owner = slotOwner(found)
    const by = livesBy(found)
    if (!stale.isStale || owner?.holder !== stale.owner.holder || owner.node !== stale.owner.node) return false
    if (by === undefined) return stale.livesBy === undefined && found.renewTime === stale.renewTime
    if (stale.livesBy === undefined || refKey(by) !== refKey(stale.livesBy)) return false
    const led = this.#holderOf(by)
    const leading = await leadingLease(() => led.read(signal), by)
    return leading !== 'forbidden' && leading.renewTime === stale.renewTime
  }

  #isOurs(found: Lease): boolean {
    return found.holder === this.holder && found.annotations[LIVES_BY_ANNOTATION] === refKey(this.#parts.lease)
  }

  #annotations(node: string, found: Lease | undefined): Lease['annotations'] {
    const kept = notOfTheHolder(found?.annotations ?? {})
    return { ...kept, [NODE_ANNOTATION]: node, [LIVES_BY_ANNOTATION]: refKey(this.#parts.lease) }
  }

  #mustLead(): void {
    if (this.#parts.leader.mayActForMs() > 0) return
    throw new WorldError('this controller does not lead, so it takes no slot', {
      code: 'SLOT_LAPSED',
      retry: 'backoff',
    })
  }

  #lease(index: number): LeaseHolder {
    const lease = this.#leases.get(index) ?? this.#holderOf(slotRef(this.#parts.namespace, index))
    this.#leases.set(index, lease)
    return lease
  }

  #holderOf(lease: ObjectRef): LeaseHolder {
    const { cluster, clock } = this.#parts
    const limits = { durationMs: SLOT_MS, callLimitMs: CALL_LIMIT_MS }
    return new LeaseHolder({ cluster, clock, lease, holder: this.holder, ...limits })
  }
}
