import type { OutLimit } from '../../../ground/model/out-limit.ts'
import { runOfOwner, type SeenSlot } from '../../../ground/model/slot.ts'
import { maxOut } from './max-out.ts'
import type { NodeOut } from './snapshot.ts'

export interface FreeSlot {
  readonly index: number
  /** Its holder is gone, and it is taken from that one. */
  readonly stale?: SeenSlot
}

/** What a controller goes by when it asks for a slot. */
interface BudgetAtHand {
  readonly limit: OutLimit
  /** How many nodes the cluster has. */
  readonly fleet: number
  readonly out: readonly NodeOut[]
  /** All slots that are held. */
  readonly slots: readonly SeenSlot[]
}

/** Slots that a controller may ask for, the lowest first. */
export function slotsToAskFor(budget: BudgetAtHand): readonly FreeSlot[] {
  const held = new Map(budget.slots.map((slot) => [slot.index, slot]))
  const maySteal = mayTakeStale(budget)
  const count = maxOut(budget.limit, budget.fleet)
  return Array.from({ length: count }, (_, index) => index).flatMap((index): readonly FreeSlot[] => {
    const slot = held.get(index)
    if (slot === undefined) return [{ index }]
    return slot.isStale && maySteal ? [{ index, stale: slot }] : []
  })
}

/**
 * The slot to ask for on behalf of this node: one that a stale owner left for it, since another would be its second one; else the
 * lowest.
 */
export const slotFor = (free: readonly FreeSlot[], node: string): FreeSlot | undefined =>
  free.find(({ stale }) => stale?.owner.node === node) ?? free[0]

/** While a node bears a record whose run holds no living slot, something is still to be put back by that run. */
function mayTakeStale({ slots, out }: BudgetAtHand): boolean {
  const living = new Set(slots.filter(({ isStale }) => !isStale).map(({ owner }) => runOfOwner(owner)))
  const records = out.flatMap(({ why }) => why.filter(({ kind }) => kind === 'recorded'))
  return records.every(({ run }) => run !== undefined && living.has(run))
}
