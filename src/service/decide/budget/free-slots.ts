import type { OutLimit } from '../../../ground/model/out-limit.ts'
import { runOfOwner, type SeenSlot } from '../../../ground/model/slot.ts'
import { maxOut } from './max-out.ts'
import type { NodeOut } from './snapshot.ts'

export interface FreeSlot {
  readonly index: number
  /** The slot's holder is gone, and the slot is taken from it. */
  readonly stale?: SeenSlot
}

/** The budget as a controller knows it when it asks for a slot. */
interface BudgetAtHand {
  readonly limit: OutLimit
  /** How many nodes the cluster has. */
  readonly fleet: number
  readonly out: readonly NodeOut[]
  /** All slots that are held. */
  readonly slots: readonly SeenSlot[]
}

/** Slots that a controller may ask for, the lowest first. That of a machine of a load balancer is left to its run. */
export function slotsToAskFor(budget: BudgetAtHand): readonly FreeSlot[] {
  const held = new Map(budget.slots.map((slot) => [slot.index, slot]))
  const maySteal = mayTakeStale(budget)
  const count = maxOut(budget.limit, budget.fleet)
  return Array.from({ length: count }, (_, index) => index).flatMap((index): readonly FreeSlot[] => {
    const slot = held.get(index)
    if (slot === undefined) return [{ index }]
    return slot.isStale && maySteal && slot.owner.isMachine !== true ? [{ index, stale: slot }] : []
  })
}

/**
 * The slot to ask for on behalf of this node: one that a stale owner held for it, since another would be its second slot; else
 * the lowest.
 */
export const slotFor = (free: readonly FreeSlot[], node: string): FreeSlot | undefined =>
  free.find(({ stale }) => stale?.owner.node === node) ?? free[0]

/**
 * No stale slot is taken while a node bears a record whose run holds no living slot: that run still has to put something back.
 */
function mayTakeStale({ slots, out }: BudgetAtHand): boolean {
  const living = new Set(slots.filter(({ isStale }) => !isStale).map(({ owner }) => runOfOwner(owner)))
  const records = out.flatMap(({ why }) => why.filter(({ kind }) => kind === 'recorded'))
  return records.every(({ run }) => run !== undefined && living.has(run))
}
