import type { FollowCache } from '../../ground/loop/follow-cache.ts'
import type { Leader } from '../../ground/loop/leader.ts'
import { freshNodes } from '../../ground/loop/owned/fresh-nodes.ts'
import type { Node } from '../../ground/model/node.ts'
import type { ObjectRef } from '../../ground/model/object-ref.ts'
import { type SeenSlot, SLOT_STALE_MS } from '../../ground/model/slot.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { ConfigMaps } from '../../ground/ports/config-maps.ts'
import type { Random } from '../../ground/ports/random.ts'
import type { BudgetReading } from '../decide/budget/budget-reading.ts'
import { BudgetWatch } from './budget-watch.ts'
import { ControllerSlots } from './controller-slots.ts'

interface BudgetParts {
  readonly cluster: Pick<Cluster, 'list' | 'nodeVersions' | 'readNode' | 'readLease' | 'writeLease'>
  readonly configMaps: Pick<ConfigMaps, 'read'>
  readonly leader: Pick<Leader, 'mayActForMs'>
  /** By which the controller leads, and its slots live. */
  readonly lease: ObjectRef
  /** Of the slots and of the budget object. */
  readonly namespace: string
  readonly grantsNamespace: string
  readonly clock: Clock
  readonly random: Random
  /** As the watch told them last. */
  nodes(): Pick<FollowCache<Node>, 'get' | 'versionOf' | 'objects'>
  /** The budget is another one. */
  onNews(): void
  /** A person is to hear of it. */
  say(text: string): void
}

/** A pass goes by a reading of the budget that is no older. */
export const BUDGET_AGE_MS = 5_000

/** The node budget as the loop of a controller uses it, and the slots of each of its owners. */
export class ControllerBudget {
  readonly #parts: BudgetParts
  readonly #watch: BudgetWatch
  /** By owner. */
  readonly #slots = new Map<string, ControllerSlots>()
  #readAt: MonoMs | undefined

  constructor(parts: BudgetParts) {
    const { namespace, grantsNamespace } = parts
    this.#parts = parts
    this.#watch = new BudgetWatch({
      ...parts,
      slots: { namespace, grantsNamespace, leaseDurationMs: SLOT_STALE_MS },
      nodeCount: () => parts.nodes().objects().length,
      rights: 'docs/controller.md',
    })
  }

  /** As it was read last. */
  facts(): BudgetReading | undefined {
    return this.#watch.facts()
  }

  /** Of no more than a few seconds ago. Rejects with the signal's reason. */
  async readIfOld(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts
    if (this.#readAt !== undefined && clock.monoMs() - this.#readAt < BUDGET_AGE_MS) return
    await this.#watch.read(signal)
    this.#readAt = clock.monoMs()
  }

  /** The budget with all slots is read as of this call or later, and all Nodes are answered as of then. */
  async readWithNodes(signal: AbortSignal): Promise<readonly Node[]> {
    const { cluster, nodes, clock } = this.#parts
    const [found] = await Promise.all([freshNodes({ cluster, cache: nodes() }, signal), this.#watch.read(signal)])
    this.#readAt = clock.monoMs()
    return found
  }

  /** In the Leases of the slots of that owner. */
  holderOf(owner: string): string {
    return this.#slotsOf(owner).holder
  }

  async take(
    owner: string,
    slot: { readonly index: number; readonly node: string; readonly stale?: SeenSlot },
    signal: AbortSignal,
  ): Promise<void> {
    await this.#changing(this.#slotsOf(owner).take(slot, signal))
  }

  async release(
    owner: string,
    slot: { readonly index: number; readonly node: string },
    signal: AbortSignal,
  ): Promise<void> {
    await this.#changing(this.#slotsOf(owner).release(slot, signal))
  }

  async #changing(written: Promise<unknown>): Promise<void> {
    await written.finally(() => {
      this.#readAt = undefined
    })
  }

  #slotsOf(of: string): ControllerSlots {
    const slots = this.#slots.get(of) ?? new ControllerSlots({ ...this.#parts, of })
    this.#slots.set(of, slots)
    return slots
  }
}
