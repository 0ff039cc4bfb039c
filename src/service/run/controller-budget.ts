import type { FollowCache } from '../../ground/loop/follow-cache.ts'
import { freshNodes } from '../../ground/loop/owned/fresh-nodes.ts'
import type { Node } from '../../ground/model/node.ts'
import { type SeenSlot, SLOT_STALE_MS } from '../../ground/model/slot.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import type { BudgetReading } from '../decide/budget/budget-reading.ts'
import { BudgetWatch } from './budget-watch.ts'
import type { ControllerParts } from './controller-parts.ts'
import { ControllerSlots } from './controller-slots.ts'

interface BudgetParts extends Omit<ControllerParts, 'objects' | 'followNodes' | 'notices'> {
  /** The name of the loop, for the log. */
  readonly name: string
  /** The Nodes of the watch. */
  readonly nodes: Pick<FollowCache<Node>, 'get' | 'versionOf' | 'objects'>
  /** The budget has changed. */
  onNews(): void
}

/** All Nodes of one reading, the time at which it began, and the count of slot changes until then. */
interface Counted {
  readonly nodes: readonly Node[]
  readonly at: MonoMs
  readonly changes: number
}

/** The next step usually follows within some 100 ms. */
const COUNTED_MS = 1_000

/** A pass uses no older reading of the budget. */
export const BUDGET_AGE_MS = 5_000

/** The node budget for the loop of a controller, and the slots of each owner in it. */
export class ControllerBudget {
  readonly #parts: BudgetParts
  readonly #watch: BudgetWatch
  /** By owner. */
  readonly #slots = new Map<string, ControllerSlots>()
  #readAt: MonoMs | undefined
  /** How many times a slot was taken or released. */
  #changes = 0
  #counted: Counted | undefined

  constructor(parts: BudgetParts) {
    const { name, namespace, grantsNamespace, nodes, log } = parts
    this.#parts = parts
    this.#watch = new BudgetWatch({
      ...parts,
      slots: { namespace, grantsNamespace, leaseDurationMs: SLOT_STALE_MS },
      nodeCount: () => nodes.objects().length,
      rights: 'docs/controller.md',
      say: (text) => log.warn(`${name}: the node budget`, { reason: text }),
    })
  }

  /** The last reading. */
  facts(): BudgetReading | undefined {
    return this.#watch.facts()
  }

  /** Reads the budget unless the last reading is a few seconds old at most. Rejects with the signal's reason. */
  async readIfOld(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts
    if (this.#readAt !== undefined && clock.monoMs() - this.#readAt < BUDGET_AGE_MS) return
    await this.#watch.read(signal)
    this.#readAt = clock.monoMs()
  }

  /** Reads the budget and all slots, and returns all Nodes, as of this call or later. */
  async readWithNodes(signal: AbortSignal): Promise<readonly Node[]> {
    const { cluster, nodes, clock } = this.#parts
    const [at, changes] = [clock.monoMs(), this.#changes]
    const [found] = await Promise.all([freshNodes({ cluster, cache: nodes }, signal), this.#watch.read(signal)])
    this.#readAt = clock.monoMs()
    this.#counted = { nodes: found, at, changes }
    return found
  }

  /**
   * Like `readWithNodes`, for the step after the one that `readWithNodes` was called for. If that was a moment ago and no slot has changed
   * since, only this Node is read again. A node that an owner takes out meanwhile is seen by its slot, since all slots are read. A node that
   * turns NotReady or is cordoned by hand within this second is seen by the next pass.
   */
  async readWithNode(name: string, signal: AbortSignal): Promise<readonly Node[]> {
    const { cluster, clock } = this.#parts
    const counted = this.#counted
    if (counted?.changes !== this.#changes || clock.monoMs() - counted.at > COUNTED_MS)
      return this.readWithNodes(signal)
    const [node] = await Promise.all([cluster.readNode(name, signal), this.#watch.read(signal)])
    this.#readAt = clock.monoMs()
    return counted.nodes.flatMap((one) => (one.name === name ? (node ?? []) : one))
  }

  /** The `slotIdentity` of this owner's slots. */
  holderOf(owner: string): string {
    return this.#slotsOf(owner).identity
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
      this.#changes += 1
      this.#readAt = undefined
    })
  }

  #slotsOf(of: string): ControllerSlots {
    const slots = this.#slots.get(of) ?? new ControllerSlots({ ...this.#parts, of })
    this.#slots.set(of, slots)
    return slots
  }
}
