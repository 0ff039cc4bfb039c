import type { Reason } from '../../ground/model/reason.ts'
import { evenkeel, say } from '../../ground/model/sentence.ts'
import { type FreeSlot, slotFor } from '../../service/decide/budget/free-slots.ts'
import { massDisruption, nodeLimit } from './limits.ts'
import { ownClaim } from './marks.ts'
import { lacksPods } from './node-state.ts'
import { isFirst } from './op.ts'
import { inOrder, zoneOf } from './order.ts'
import { isHardlyReady, type NodeView, type Pass } from './pass.ts'
import { fleetOf, isFirstToLeave, massReason, targetHolds } from './rollout-rules.ts'
import { freeSlots, slotCount } from './slots.ts'
import { upkeep } from './upkeep.ts'

/** Why a node leaves service: for good, for the work of others, or for new pods. */
type Purpose = 'leave' | 'maintain' | 'update'

/**
 * Whether a node may be taken out now. `slot`: this slot is taken first. `isForRoom`: the only reason against it is that there is no room
 * yet.
 */
export type Admission =
  | { readonly may: true; readonly slot?: FreeSlot }
  | { readonly may: false; readonly reasons: readonly Reason[]; readonly isForRoom: boolean }

/** The purpose of a node that is in service, or waits for its turn. */
export function purposeOf({ target }: Pass, n: NodeView): Purpose | undefined {
  if (n.deployment === undefined || n.node === undefined || n.op !== undefined || n.overDetached !== undefined)
    return undefined
  if (n.state === 'Leaving') return 'leave'
  if (n.state === 'Maintenance') return 'maintain'
  return n.deployment.revision === target ? undefined : 'update'
}

/** The room that is left in this pass; each admitted node reduces it. */
interface Room {
  readonly under: Set<string>
  readonly out: Set<string>
  readonly serving: Set<string>
  /** Of the cluster. */
  readonly away: Set<string>
  /** The zones in which the rollout is working. */
  readonly zones: Map<string, string>
  free: readonly FreeSlot[]
  old: number
  readonly limit: number
  readonly holds: readonly Reason[]
  readonly mass: readonly Reason[]
}

/**
 * Decides which nodes may leave now, by name. Each node counts those admitted before it, also in this pass.
 *
 * Law: a rollout takes no node out beyond the limit of its object or the node budget, whatever has the others out.
 */
export function admissions(pass: Pass): ReadonlyMap<string, Admission> {
  const answers = new Map<string, Admission>()
  const lost = pass.nodes.filter((n) => hasLostSlot(pass, n))
  const about = pass.nodes.filter((n) => isAboutToLeave(pass, n))
  const wanting = pass.nodes.filter((n) => isCandidate(pass, n))
  if (lost.length + about.length + wanting.length === 0) return answers
  const room = roomOf(pass)
  for (const n of lost) answers.set(n.name, slotBack(pass, n, room))
  for (const n of about) answers.set(n.name, onceMore(pass, n, room))
  for (const n of inOrder(pass, wanting)) {
    const answer = admit(pass, n, room)
    answers.set(n.name, answer)
    if (answer.may) letGo(pass, n, room)
  }
  return answers
}

/** The node wants to leave and needs no write before. A node that leaves for good needs none. */
function isCandidate(pass: Pass, n: NodeView): boolean {
  const purpose = purposeOf(pass, n)
  if (purpose === undefined || n.deployment === undefined) return false
  return purpose === 'leave' || upkeep(pass, n, n.deployment) === undefined
}

function roomOf(pass: Pass): Room {
  const names = (which: (n: NodeView) => boolean) => new Set(pass.nodes.filter(which).map(({ name }) => name))
  const mass = massDisruption(pass)
  const away = new Set(pass.s.budget.out.map(({ node }) => node))
  const isAtWork = (n: NodeView): boolean =>
    n.op !== undefined && !isFirst(n.op) && !['Stuck', 'Maintenance', 'Leaving'].includes(n.state)
  return {
    under: names((n) => n.isUnderWay && (n.slot.kind !== 'none' || away.has(n.name))),
    out: names((n) => n.isOut || isHardlyReady(pass, n)),
    // A node that has a slot is about to leave.
    serving: names((n) => n.isServing && !n.isUnderWay && !isHardlyReady(pass, n)),
    away,
    zones: new Map(pass.nodes.filter(isAtWork).map((n) => [n.name, zoneOf(pass, n)])),
    free: freeSlots(pass),
    ...fleetOf(pass),
    limit: nodeLimit(pass),
    mass: mass.length === 0 ? [] : [massReason(pass, mass)],
  }
}

function letGo(pass: Pass, n: NodeView, room: Room): void {
  for (const set of [room.under, room.out, room.away]) set.add(n.name)
  room.serving.delete(n.name)
  if (purposeOf(pass, n) !== 'update') return
  room.old -= 1
  room.zones.set(n.name, zoneOf(pass, n))
}

/**
 * The node needs a slot again: its operation has lost the slot, or its first pods start and are to leave already. Without a slot, a node is
 * only brought back.
 */
function hasLostSlot(pass: Pass, n: NodeView): boolean {
  const { op, slot, state } = n
  if (op === undefined || slot.kind !== 'none' || n.isGoing) return false
  if (isFirst(op)) return isFirstToLeave(pass, n)
  return op.phase !== 'Attaching' || state === 'Leaving' || state === 'Maintenance'
}

/** The operation and the mark are written, and the node is not asked to leave yet. */
export const isAboutToLeave = ({ s }: Pass, n: NodeView): boolean =>
  n.op?.phase === 'Detaching' &&
  n.op.t1 === undefined &&
  (n.state === 'Detaching' || n.state === 'Stuck') &&
  n.slot.kind === 'ours' &&
  ownClaim(s.object, n) === undefined

/**
 * Checks the budget again, since others may have left since the admission: the API may have been away for seconds between the two writes.
 */
function onceMore(pass: Pass, n: NodeView, room: Room): Admission {
  const outage = unheard(pass, n)
  if (outage !== undefined) return refused([outage], true)
  const full = [...ownLimits(pass, { ...n, isServing: n.couldServe }, room), ...budgetFull(pass, n, room)]
  return full.length > 0 ? refused(full, true) : { may: true }
}

/**
 * Admits a node that needs its slot back. A node that is out by its claim needs no new room. A node that serves nevertheless is admitted
 * like any other.
 */
function slotBack(pass: Pass, n: NodeView, room: Room): Admission {
  const { fault } = pass.s.budget
  if (fault !== undefined) return refused([fault], true)
  const full = room.away.has(n.name) ? [] : [...ownLimits(pass, n, room), ...budgetFull(pass, n, room)]
  if (full.length > 0) return refused(full, true)
  const slot = takeFrom(room, n)
  const text = `no slot of the node budget is free for ${n.name}, whose slot was lost`
  if (slot === undefined) return refused([{ code: 'NodeSlotMissing', object: n.name, text }], true)
  letGo(pass, n, room)
  return { may: true, slot }
}

const refused = (reasons: readonly Reason[], isForRoom: boolean): Admission => ({ may: false, reasons, isForRoom })

function admit(pass: Pass, n: NodeView, room: Room): Admission {
  // The node leaves whatever is decided, so it needs no extra room.
  if (n.isGoing) return { may: true }
  const purpose = purposeOf(pass, n)
  // The owner of a shared slot was admitted already, by the same count.
  const isFrozen = purpose === 'maintain' && n.slot.kind !== 'others'
  const rules = purpose === 'update' ? updateRules(pass, n, room) : isFrozen ? room.mass : []
  if (rules.length > 0) return refused(rules, false)
  const unknown = pass.s.budget.fault ?? unheard(pass, n)
  if (unknown !== undefined) return refused([unknown], true)
  const full = [...ownLimits(pass, n, room), ...budgetFull(pass, n, room)]
  if (full.length > 0) return refused(full, true)
  if (n.slot.kind !== 'none') return { may: true }
  const slot = takeFrom(room, n)
  return slot === undefined ? refused([noRoom(pass, n, room)], true) : { may: true, slot }
}

const unheard = ({ s: { outage } }: Pass, { name }: NodeView): Reason | undefined =>
  outage === undefined ? undefined : { ...outage, object: name }

/** Takes a slot for this node; no other node of the pass gets it. */
function takeFrom(room: Room, { name }: NodeView): FreeSlot | undefined {
  const slot = slotFor(room.free, name)
  room.free = room.free.filter((one) => one !== slot)
  return slot
}

function updateRules(pass: Pass, n: NodeView, room: Room): readonly Reason[] {
  const other = [...room.zones].find(([, zone]) => zone !== zoneOf(pass, n))
  return [
    ...targetHolds(pass, n, room),
    ...(other === undefined
      ? []
      : [
          { code: 'ZoneUnderWay', object: n.name, text: `${other[0]} of another zone is still being updated` } as const,
        ]),
  ]
}

function ownLimits(pass: Pass, n: NodeView, room: Room): readonly Reason[] {
  const { rollout } = pass.s.object.spec
  const { name } = pass.s.object
  const hasNone = !n.isServing && n.deployment?.ready === 0
  if (hasNone && purposeOf(pass, n) === 'update' && rollout.replaceUnavailableFirst) return []
  // A node that serves nothing, or lacks pods, counts already, so such nodes wait only for each other.
  const counts = !n.isServing || lacksPods(pass.s, n)
  const others = [...(counts ? room.under : room.out)].filter((other) => other !== n.name)
  const left = without(room.serving, n)
  return [
    ...(others.length >= room.limit ? [atLimit(name, others, room.limit)] : []),
    ...(n.isServing && left < rollout.minInServiceNodes ? [tooFew(name, left, rollout.minInServiceNodes)] : []),
  ]
}

const without = (set: ReadonlySet<string>, { name }: NodeView): number => set.size - (set.has(name) ? 1 : 0)

const NAMED_AT_MOST = 3

function atLimit(name: string, out: readonly string[], limit: number): Reason {
  const more = out.length - NAMED_AT_MOST
  const names = out.toSorted().slice(0, NAMED_AT_MOST).join(', ')
  return {
    code: 'IngressLimitReached',
    object: name,
    text: `${out.length} nodes of ${name} are out or degraded (${names}${more > 0 ? ` and ${more} more` : ''}), and at most ${limit} may be`,
  }
}

const tooFew = (name: string, left: number, min: number): Reason => ({
  code: 'TooFewInService',
  object: name,
  text: `nodes of ${name} that would be left in service: ${left}; needed: ${min}`,
  ...(left === 0 ? { next: 'with one node, set spec.updateStrategy.rollingUpdate.minInServiceNodes to 0' } : {}),
})

/**
 * Why the node budget has no room. An owner with a slot for the node takes it out anyway: the maintenance is shared with it, and the update
 * waits.
 */
function budgetFull(pass: Pass, n: NodeView, room: Room): readonly Reason[] {
  if (n.slot.kind === 'others') {
    // Until its owner has begun with the node, a shared slot counts like one that was just taken.
    if (purposeOf(pass, n) === 'maintain')
      return hasBegun(pass, n) || hasRoom(pass, n, room) ? [] : [noRoom(pass, n, room)]
    return [{ code: 'SlotOfOthers', object: n.name, text: `${n.slot.owner} holds the slot for ${n.name}` }]
  }
  return hasRoom(pass, n, room) ? [] : [noRoom(pass, n, room)]
}

const hasRoom = (pass: Pass, n: NodeView, room: Room): boolean => without(room.away, n) < slotCount(pass)

/** The node is out already. */
const hasBegun = ({ s }: Pass, { name }: NodeView): boolean =>
  s.budget.out.some(({ node, why }) => node === name && why.some(({ kind }) => kind !== 'slot'))

const noRoom = (pass: Pass, n: NodeView, room: Room): Reason => ({
  code: 'BudgetUsedUp',
  object: n.name,
  text: `${without(room.away, n)} nodes are out or about to be, and the budget allows at most ${slotCount(pass)}`,
  next: say`${evenkeel`budget`} shows which nodes are out, and for which owner`,
})
