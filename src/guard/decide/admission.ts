import { claimsOf, MAINTENANCE_ANNOTATION } from '../../ground/model/claims.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { evenkeel, say } from '../../ground/model/sentence.ts'
import { type FreeSlot, slotFor, slotsToAskFor } from '../../service/decide/budget/free-slots.ts'
import { maxOut } from '../../service/decide/budget/max-out.ts'
import type { NodeOut, WhyOut } from '../../service/decide/budget/snapshot.ts'
import { type GroupNode, type GuardPass, guardOwner } from './pass.ts'

/** Whether the node budget has room for a node. `slot`: to be taken first. */
type Admission = { readonly may: true; readonly slot?: FreeSlot } | { readonly may: false; readonly reason: Reason }

/**
 * Law: a node is granted only while fewer nodes than the budget allows are out, counted before its slot is taken and again after.
 */
export function admission({ s }: GuardPass, x: GroupNode): Admission {
  const { budget } = s
  if (budget.fault !== undefined) return { may: false, reason: budget.fault }
  // The owner of this slot has the node out already, and it is counted.
  if (x.slot.kind === 'others' && hasBegun(s, x)) return { may: true }
  if (s.outage !== undefined) return { may: false, reason: { ...s.outage, object: x.name } }
  const limit = maxOut(budget.limit, budget.fleet)
  const others = budget.out.filter(({ node }) => node !== x.name && !givesWay(s, x, node))
  if (others.length >= limit) return { may: false, reason: noRoom(x, others, limit) }
  if (x.slot.kind !== 'none') return { may: true }
  const slot = slotFor(slotsToAskFor(budget), x.name)
  return slot === undefined ? { may: false, reason: noRoom(x, others, limit) } : { may: true, slot }
}

/** The node is out by more than the slot and the claim of this group. */
function hasBegun({ budget, group }: GuardPass['s'], { name, node }: GroupNode): boolean {
  const claims = claimsOf(node?.annotations[MAINTENANCE_ANNOTATION])
  const isClaimed = claims.length === 0 || claims.some(({ owner }) => owner !== guardOwner(group))
  const isSign = ({ kind }: WhyOut): boolean => kind !== 'slot' && (kind !== 'claimed' || isClaimed)
  return budget.out.some((out) => out.node === name && out.why.some(isSign))
}

/** Of several owners that took slots at the same time, the one with the lowest slot goes on. */
function givesWay({ budget: { out, slots } }: GuardPass['s'], { slot }: GroupNode, name: string): boolean {
  if (slot.kind !== 'ours') return false
  const isUntouched = out.some(({ node, why }) => node === name && why.every(({ kind }) => kind === 'slot'))
  return isUntouched && slots.every(({ owner, index }) => owner.node !== name || index > slot.index)
}

const noRoom = ({ name }: GroupNode, others: readonly NodeOut[], limit: number): Reason => ({
  code: 'BudgetUsedUp',
  object: name,
  text: `${others.length} nodes are out or about to be (${others
    .slice(0, 3)
    .map(({ node }) => node)
    .join(', ')}), and the budget allows at most ${limit}`,
  next: say`${evenkeel`budget`} shows which nodes are out, and for which owner`,
})
