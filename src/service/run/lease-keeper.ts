import { Backoff } from '../../ground/loop/backoff.ts'
import { isConflict, isUnanswered, LeaseHolder, mayHaveMoved, retryAfterMs } from '../../ground/loop/lease-holder.ts'
import { Wakeup } from '../../ground/loop/wakeup.ts'
import { invariant } from '../../ground/model/invariant.ts'
import type { Lease } from '../../ground/model/lease.ts'
import type { ObjectRef } from '../../ground/model/object-ref.ts'
import { present } from '../../ground/model/present.ts'
import { notOfTheHolder, ofTheHolder, type SlotOwner, slotHolder, slotOwner } from '../../ground/model/slot.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { Random } from '../../ground/ports/random.ts'
import { leadingLease, livesBy } from './living-lease.ts'
import type { AcquireAnswer, ReleaseAnswer, RenewAnswer, SlotState, Unanswered } from './slot-answer.ts'

interface LeaseKeeperParts {
  readonly cluster: Pick<Cluster, 'readLease' | 'writeLease'>
  readonly clock: Clock
  readonly random: Random
  /** By its number; the one that there is, where there are not several. */
  readonly slot: ObjectRef | ((index: number) => ObjectRef)
  readonly run: string
  /** Tells this process from any other of the same run. */
  readonly nonce: string
  /** Keepers of this very process, which live, itself among them: what others hold is not taken. Absent: there are none. */
  readonly siblings?: () => readonly Pick<LeaseKeeper, 'holder' | 'keeps'>[]
  /** At least a second: a Lease counts in whole ones. */
  readonly durationMs: number
  /** Held, lost or free again. It must only take note. */
  readonly onChange: () => void
}

interface Wanted {
  readonly node: string
  readonly takeStale: boolean
  readonly slot?: number
  /** `node` is a machine of a load balancer. */
  readonly isMachine?: boolean
}

/**
 * Holds one slot of the node budget: a Lease that names node and run.
 *
 *     free --acquire--> held --release--> free
 *                        |
 *                        +-- another process holds it, or it was emptied --> lost, for good
 *
 * A Lease that was deleted is made anew by its holder: to create it is atomic, and no other run has the slot without a Lease of its own.
 *
 * The API not answering is never a loss: the slot stays ours, but from two thirds of the duration after the last renewal on `mayAct()`
 * is false, a third before another process could find the Lease stale.
 */
export class LeaseKeeper {
  readonly #parts: LeaseKeeperParts
  /** As it stands in the Lease. */
  readonly holder: string
  #at: LeaseHolder
  readonly #slots = new Map<number, LeaseHolder>()
  readonly #wakeup: Wakeup
  readonly #backoff: Backoff
  /** For which it is held, or was asked for last. */
  #for: Pick<Wanted, 'node' | 'isMachine'> = { node: '' }
  #lost: { readonly node: string; readonly owner?: SlotOwner } | undefined
  /** We asked to be rid of it: an empty holder is then our own doing, and nothing may be sent any more. */
  #releasing = false
  #turn: Promise<unknown> = Promise.resolve()

  constructor(parts: LeaseKeeperParts) {
    invariant(!parts.nonce.includes('/'), 'a nonce has no slash')
    this.#parts = parts
    this.holder = slotHolder(parts.run, parts.nonce)
    this.#at = this.#slot(0)
    this.#wakeup = new Wakeup(parts.clock)
    this.#backoff = new Backoff({ baseMs: parts.durationMs / 60, capMs: parts.durationMs / 6 }, parts.random)
  }

  state(): SlotState {
    if (this.#lost !== undefined) return { kind: 'lost', ...this.#lost }
    const { held } = this.#at
    return held === undefined ? { kind: 'free' } : { kind: 'held', node: this.#for.node, renewedAt: held.sentAt }
  }

  /** It holds that slot, and makes its Lease anew where that was deleted. */
  keeps = (slot: number): boolean =>
    this.#at === this.#slots.get(slot) && this.#at.held !== undefined && !this.#releasing

  /** Ask before every effect, socket and ssh included. */
  mayAct(): boolean {
    return this.mayActForMs() > 0
  }

  /** What is left of two thirds of the duration since the last renewal; the limit of an effect that takes its time. */
  mayActForMs(): number {
    return this.#releasing ? 0 : this.#at.mayActForMs()
  }

  /**
   * One try. Free, or held by another process of the same run: taken at once; the caller holds the run's journal
   * locked, so that other process is dead. Stale in the hands of another run: taken where `takeStale` says so. `slot`: which
   * one, where there are several; 0 where it is absent.
   */
  acquire(wanted: Wanted, signal: AbortSignal): Promise<AcquireAnswer> {
    invariant(this.#lost === undefined, 'a lost slot is not taken again')
    invariant(this.#at.held === undefined || this.#for.node === wanted.node, 'a slot is for one node')
    return this.#inTurn(() => this.#acquire(wanted, signal))
  }

  /** Step 6 renews first. Waits for a renewal that is under way and then sends its own. */
  renewNow(signal: AbortSignal): Promise<RenewAnswer> {
    return this.#inTurn(() => this.#renew(signal))
  }

  /** Clears the holder; the last thing done for a node. Ask again where it was not answered: once it is stale, it is given up. */
  async release(signal: AbortSignal): Promise<ReleaseAnswer> {
    this.#releasing = this.#at.held !== undefined
    const answer = await this.#inTurn(() => this.#release(signal))
    const { held } = this.#at
    const { clock, durationMs } = this.#parts
    if (answer.kind !== 'unanswered' || held === undefined || clock.monoMs() - held.sentAt < durationMs) return answer
    this.#becomeFree()
    return { kind: 'stale', error: answer.error }
  }

  /**
   * Clears the holder where it is another process of the same run, which died between its last node and its release. One try; the caller
   * holds the run's journal locked, as for `acquire`.
   */
  async giveBack(signal: AbortSignal, slot = 0): Promise<ReleaseAnswer> {
    if (this.#at.held !== undefined) return this.release(signal)
    this.#at = this.#slot(slot)
    return this.#inTurn(() => this.#giveBack(signal))
  }

  /** Renews while the slot is held, at a sixth of its duration. Rejects with the signal's reason. */
  async run(signal: AbortSignal): Promise<never> {
    let retryInMs: number | undefined
    for (;;) {
      const due = await this.#wakeup.next(this.#renewalDueInMs(retryInMs), signal)
      retryInMs = undefined
      if (due === 'changed') continue
      const answer = await this.renewNow(signal)
      if (answer.kind === 'unanswered') retryInMs = this.#backoff.nextMs(retryAfterMs(answer.error))
      else this.#backoff.reset()
    }
  }

  #slot(index: number): LeaseHolder {
    const { cluster, clock, slot, durationMs } = this.#parts
    const known = this.#slots.get(index)
    if (known !== undefined) return known
    const lease = typeof slot === 'function' ? slot(index) : slot
    // A quarter of the duration, so that a call that hangs leaves time for another while the holder may still act.
    const callLimitMs = durationMs / 4
    const made = new LeaseHolder({ cluster, clock, lease, holder: this.holder, durationMs, callLimitMs })
    this.#slots.set(index, made)
    return made
  }

  #renewalDueInMs(retryInMs: number | undefined): number | undefined {
    const { held } = this.#at
    if (held === undefined || this.#releasing) return undefined
    if (retryInMs !== undefined) return retryInMs
    const intervalMs = (this.#parts.durationMs / 6) * (0.8 + 0.2 * this.#parts.random.next())
    return held.sentAt + intervalMs - this.#parts.clock.monoMs()
  }

  async #acquire(wanted: Wanted, signal: AbortSignal): Promise<AcquireAnswer> {
    if (this.#at.held !== undefined && !this.#releasing) return { kind: 'held' }
    const { takeStale, slot = 0 } = wanted
    // A slot that is being given back is held until that is known.
    if (this.#at.held === undefined) this.#at = this.#slot(slot)
    const { lease, owner, staleInMs } = await this.#find(signal)
    const siblings = (this.#parts.siblings?.() ?? []).filter((one) => one !== this)
    const isLiving = siblings.some((one) => (owner === undefined ? one.keeps(slot) : one.holder === owner.holder))
    const ours = owner === undefined || owner.run === this.#parts.run
    if (isLiving || !(ours || (takeStale && staleInMs === 0)))
      return { kind: 'taken', staleInMs, ...present({ owner }) }
    this.#for = wanted
    try {
      await this.#claim(lease, signal)
    } catch (error) {
      if (!isConflict(error)) throw error
      const { lease: _, ...faster } = await this.#find(signal)
      return { kind: 'taken', ...faster }
    }
    this.#releasing = false
    this.#changed()
    return { kind: 'held', ...(owner === undefined || owner.holder === this.holder ? {} : { previous: owner }) }
  }

  async #find(signal: AbortSignal): Promise<{ lease?: Lease; owner?: SlotOwner; staleInMs: number }> {
    const lease = await this.#at.read(signal)
    if (lease === undefined) return { staleInMs: 0 }
    const owner = slotOwner(lease)
    const staleInMs = await this.#staleInMs(lease, signal)
    return { lease, staleInMs, ...present({ owner }) }
  }

  /** A slot of a controller is never renewed: it is stale when the Lease that it lives by is. */
  async #staleInMs(lease: Lease, signal: AbortSignal): Promise<number> {
    const ref = livesBy(lease)
    const led = ref === undefined ? lease : await leadingLease((at) => this.#parts.cluster.readLease(at, signal), ref)
    if (led === 'forbidden') return Number.POSITIVE_INFINITY
    return this.#at.staleInMs(led)
  }

  async #renew(signal: AbortSignal): Promise<RenewAnswer> {
    if (await this.#writeHeld((lease) => this.#at.renew(lease, signal), signal)) return { kind: 'renewed' }
    return { kind: this.#lost === undefined ? 'free' : 'lost' }
  }

  async #release(signal: AbortSignal): Promise<ReleaseAnswer> {
    if (await this.#writeHeld((lease) => this.#clear(lease, signal), signal)) this.#becomeFree()
    return { kind: this.#lost === undefined ? 'free' : 'lost' }
  }

  async #giveBack(signal: AbortSignal): Promise<ReleaseAnswer> {
    const { lease, owner } = await this.#find(signal)
    if (lease !== undefined && owner?.run === this.#parts.run) await this.#clear(lease, signal)
    return { kind: 'free' }
  }

  #claim(found: Lease | undefined, signal: AbortSignal): Promise<void> {
    const ours = ofTheHolder({ ...this.#for, run: this.#parts.run })
    return this.#at.claim(found, { ...notOfTheHolder(found?.annotations ?? {}), ...ours }, signal)
  }

  #clear(lease: Lease, signal: AbortSignal): Promise<void> {
    return this.#at.clear(lease, { annotations: notOfTheHolder(lease.annotations) }, signal)
  }

  /** False: there is nothing to write to any more, and the state says why. */
  async #writeHeld(write: (lease: Lease) => Promise<void>, signal: AbortSignal): Promise<boolean> {
    const { held } = this.#at
    if (held === undefined) return false
    try {
      await write(held.lease)
    } catch (error) {
      if (!mayHaveMoved(error)) throw error
      const { lease, owner } = await this.#find(signal)
      if (lease === undefined && !this.#releasing) return this.#claimAnew(signal)
      if (lease === undefined || owner?.holder !== this.holder) return this.#giveUp(owner)
      if (lease.resourceVersion === held.lease.resourceVersion) throw error
      await write(lease)
    }
    return true
  }

  /** Of a Lease that was deleted. Where another run was faster it is lost; any other conflict is tried again. */
  async #claimAnew(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#claim(undefined, signal)
      return true
    } catch (error) {
      if (!isConflict(error)) throw error
      const { lease, owner } = await this.#find(signal)
      if (lease === undefined || owner?.holder === this.holder) throw error
      return this.#giveUp(owner)
    }
  }

  /** Without an owner it is free, where we asked to be rid of it; else it is lost. */
  #giveUp(owner: SlotOwner | undefined): false {
    if (this.#releasing && owner === undefined) {
      this.#becomeFree()
      return false
    }
    this.#at.forget()
    this.#lost = { node: this.#for.node, ...present({ owner }) }
    this.#changed()
    return false
  }

  #becomeFree(): void {
    this.#at.forget()
    this.#releasing = false
    this.#changed()
  }

  #changed(): void {
    this.#wakeup.wake()
    this.#parts.onChange()
  }

  /** Reads and writes of one keeper never overlap: its own two writes would conflict with each other. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T | Unanswered> {
    const before = this.#turn
    const over = Promise.withResolvers<void>()
    this.#turn = over.promise
    await before
    try {
      return await work()
    } catch (error) {
      if (isUnanswered(error)) return { kind: 'unanswered', error }
      throw error
    } finally {
      over.resolve()
    }
  }
}
