import { type FreeSlot, slotsToAskFor } from '../../service/decide/budget/free-slots.ts'
import { maxOut } from '../../service/decide/budget/max-out.ts'
import type { NodeView, Pass } from './pass.ts'

/** How many nodes of the cluster may be out. */
export const slotCount = ({ s }: Pass): number => maxOut(s.budget.limit, s.budget.fleet)

/** Slots that may be asked for, the lowest first. */
export const freeSlots = ({ s }: Pass): readonly FreeSlot[] => slotsToAskFor(s.budget)

/** After so long a slot without room is released, so that other owners find it free. */
const HELD_IDLE_MS = 30_000

export const isHeldIdle = ({ s }: Pass, { slot }: NodeView): boolean =>
  slot.kind === 'ours' && s.now - slot.takenAt >= HELD_IDLE_MS

/** Whether a slot of an untouched node is released because too many nodes are out. The lowest slot goes on, and the others ask again. */
export function isToGiveBack(pass: Pass, n: NodeView): boolean {
  const { slot } = n
  if (slot.kind !== 'ours') return false
  if (isHeldIdle(pass, n)) return true
  const untouched = new Set(
    pass.s.budget.out.filter(({ why }) => why.every(({ kind }) => kind === 'slot')).map(({ node }) => node),
  )
  return pass.s.budget.slots.some(
    ({ index, owner, isStale }) =>
      !isStale && index < slot.index && owner.node !== undefined && owner.node !== n.name && untouched.has(owner.node),
  )
}
