import { invariant } from '../../ground/model/invariant.ts'
import { shortHash } from '../../ground/model/owned/node-names.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { kubectl, say } from '../../ground/model/sentence.ts'
import { toIso } from '../../ground/model/time.ts'
import { type FreeSlot, slotFor, slotsToAskFor } from '../../service/decide/budget/free-slots.ts'
import type { GuardAction, GuardObjectAction, Released } from './action.ts'
import { admission } from './admission.ts'
import { takesNoPods } from './asks.ts'
import { grantedForMs } from './grant.ts'
import { mayGo, ofMember } from './may-go.ts'
import {
  type GroupNode,
  type GuardPass,
  guardOwner,
  isAway,
  isGivenUp,
  isLosing,
  isUnderWay,
  type Member,
  waitedFrom,
} from './pass.ts'
import { isStill } from './upkeep.ts'
import { whyNot } from './why-not.ts'

export interface Granting {
  readonly actions: readonly GuardAction[]
  /** Why nodes that ask are not granted yet. */
  readonly reasons: readonly Reason[]
  /** The node that has the grant of the group, or gets it next. */
  readonly lead?: GroupNode
}

/**
 * Decides which node of the group may go, and ends earlier grants. A node keeps its grant until its guards are back.
 *
 * Law: of all guards of a group one node is granted at a time.
 */
export function grants(pass: GuardPass): Granting {
  const made = GRANTS.get(pass) ?? granting(pass)
  GRANTS.set(pass, made)
  return made
}

/** The decision and the status use the same result. */
const GRANTS = new WeakMap<GuardPass, Granting>()

function granting(pass: GuardPass): Granting {
  const under = pass.nodes.filter(isUnderWay).toSorted((one, other) => rank(one) - rank(other))
  const [first, ...rest] = under.filter((x) => !isLost(pass, x))
  const chosen = first === undefined ? withNext(pass, under[0]) : withLead(pass, first)
  const shut = pass.nodes.flatMap((x) => closings(pass, x, chosen.lead))
  if (shut.length > 0) return { ...chosen, actions: shut }
  return { ...chosen, actions: [...rest.flatMap((x) => giveBack(pass, x)), ...chosen.actions] }
}

/**
 * The budgets of a node that may not be open now. It is asked in each pass for whatever is open, and before anything else is granted.
 *
 * Law: a budget is open only for the one node that is granted, with its slot and its claim.
 */
function closings(pass: GuardPass, x: GroupNode, lead: GroupNode | undefined): readonly GuardAction[] {
  const open = x.members.filter(({ isOpen }) => isOpen)
  if (open.length === 0) return []
  const isOver = !isGone(x) && open.some((member) => isExpired(pass, x, member))
  const mayAny = x === lead && !isOver && isHeldFor(pass, x) && whyNot(pass, x).length === 0
  return open
    .filter((member) => !(mayAny && isItsGrant(x, member)))
    .map((member) => closeGate(x, member, isOver && x === lead))
}

/** All budgets that are open: for no node it is known whether it may go. */
export const closeAll = (pass: GuardPass): readonly GuardAction[] =>
  pass.nodes.flatMap((x) => closings(pass, x, undefined))

/** The node has a claim, and a slot; one that was lost may be taken again. It is not known that it has none while slots cannot be read. */
const isHeldFor = (pass: GuardPass, x: GroupNode): boolean =>
  x.claim !== undefined && (x.slot.kind !== 'none' || pass.s.budget.fault !== undefined || kept(pass, x).length > 0)

/** The budget was opened by a grant of this node, and there is a guard to evict. */
const isItsGrant = ({ name, asks }: GroupNode, { isThere, n: { isWanted, own } }: Member): boolean =>
  asks !== undefined && isThere && isWanted && own?.gate?.grant?.node === name

function withLead(pass: GuardPass, lead: GroupNode): Granting {
  const { actions, reasons } = ofLead(pass, lead)
  return { lead, actions, reasons: [...reasons, ...waiting(pass, lead)] }
}

/** The guard of the node is missing, and a person has released the other nodes from waiting for it. */
const isLost = ({ s }: GuardPass, x: GroupNode): boolean => isAway(x) && isGivenUp(s, x)

/** The node asks to be drained, and one of its guards is missing, evicted or never started. */
const isGone = ({ asks, wanted }: GroupNode): boolean => asks !== undefined && wanted.some(({ isThere }) => !isThere)

/** First a node whose guards are gone, then a node that may lose them at any moment. */
function rank(x: GroupNode): number {
  if (isGone(x)) return 0
  if (x.members.some(({ isOpen }) => isOpen)) return 1
  if (isAway(x)) return 2
  return x.claim === undefined ? 4 : 3
}

/** The nodes that ask, in the order in which they began to. */
const queue = (pass: GuardPass): readonly GroupNode[] =>
  pass.nodes
    .filter(({ asks, wanted }) => asks !== undefined && wanted.some(({ isThere }) => isThere))
    .toSorted((one, other) => waitedFrom(pass, one) - waitedFrom(pass, other) || (one.name < other.name ? -1 : 1))

/** `lost`: goes on while no other node may go. */
function withNext(pass: GuardPass, lost: GroupNode | undefined): Granting {
  const asking = queue(pass)
  const reasons: Reason[] = []
  for (const x of asking) {
    const why = whyNot(pass, x)
    if (why.length > 0) {
      reasons.push(...why)
      continue
    }
    const answer = admission(pass, x)
    if (!answer.may) {
      reasons.push(answer.reason)
      continue
    }
    const rest = asking.filter((other) => other !== x && !reasons.some(({ object }) => object === other.name))
    reasons.push(...rest.flatMap((other) => whyBehind(pass, other, x)))
    return { lead: x, actions: nextStep(pass, x, answer.slot), reasons }
  }
  return lost === undefined ? { actions: [], reasons } : withLead(pass, lost)
}

/** Why the nodes wait that ask beside the granted one. */
function waiting(pass: GuardPass, lead: GroupNode): readonly Reason[] {
  return queue(pass)
    .filter((x) => x !== lead)
    .flatMap((x) => whyBehind(pass, x, lead))
}

/** A node that is held gets the reason of its hold, since its turn would not help it. */
function whyBehind(pass: GuardPass, x: GroupNode, first: GroupNode): readonly Reason[] {
  const answer = mayGo(pass, x)
  return answer.kind === 'held' ? answer.reasons : [behind(x, first)]
}

const behind = ({ name }: GroupNode, { name: first }: GroupNode): Reason => ({
  code: 'OtherNodeFirst',
  object: name,
  text: `${name} waits for ${first}, which goes first and is not back yet`,
})

type Next = Omit<Granting, 'lead'>

/** The next step of the node that has the grant, or gets it next. */
function ofLead(pass: GuardPass, x: GroupNode): Next {
  const { asks, node, wanted } = x
  if (node === undefined || wanted.length === 0) return { actions: giveBack(pass, x), reasons: [] }
  if (asks === undefined && isAway(x)) return { actions: [], reasons: [returning(x)] }
  if (asks === undefined) return { actions: giveBack(pass, x), reasons: [] }
  if (wanted.every(({ isThere }) => !isThere)) return { actions: kept(pass, x), reasons: [draining(x)] }
  return ofAsking(pass, x)
}

/** The next step of a node that asks and still has a guard. */
function ofAsking(pass: GuardPass, x: GroupNode): Next {
  const isBegun = isGone(x)
  const why = whyNot(pass, x)
  if (why.length > 0) return { actions: isBegun ? kept(pass, x) : giveBack(pass, x), reasons: why }
  const going = letGoBefore(pass, x, isBegun || x.wanted.some(({ isOpen }) => isOpen))
  if (going !== undefined) return { actions: going, reasons: isBegun ? [draining(x)] : [] }
  const [first] = queue(pass).filter((other) => other === x || whyNot(pass, other).length === 0)
  // A node that has no ready guard, or loses it, gives nothing back. Where the owner of the slot has it out, no other node can go before that ends.
  const mayGiveWay = x.slot.kind !== 'others' && !isAway(x) && !isLosing(x)
  if (mayGiveWay && first !== undefined && first !== x)
    return { actions: giveBack(pass, x), reasons: [behind(x, first)] }
  const answer = admission(pass, x)
  return answer.may
    ? { actions: nextStep(pass, x, answer.slot), reasons: [] }
    : { actions: giveBack(pass, x), reasons: [answer.reason] }
}

/**
 * The next step for a node of which a guard was released already; the node was counted then. The slot that it shared may be gone with its
 * owner, and without a slot no further guard is released. Undefined: the node is treated like any other.
 */
function letGoBefore(pass: GuardPass, x: GroupNode, isLetGo: boolean): readonly GuardAction[] | undefined {
  if (!isLetGo) return undefined
  const slot = kept(pass, x)
  if (slot.length > 0) return slot
  if (x.slot.kind !== 'none') return nextStep(pass, x, undefined)
  return x.wanted.some(({ isOpen }) => isOpen) ? [] : undefined
}

const returning = ({ name }: GroupNode): Reason => ({
  code: 'GuardReturning',
  object: name,
  text: `${name} is back, and its guard is not ready yet`,
})

const draining = ({ name }: GroupNode): Reason => ({
  code: 'NodeDraining',
  object: name,
  text: `the guard of ${name} was evicted, and the node is not back yet`,
  next: say`${kubectl`uncordon ${name}`} once the work is done`,
})

const isExpired = ({ s }: GuardPass, x: GroupNode, { view, n }: Member): boolean => {
  const grant = n.own?.gate?.grant
  return grant?.node === x.name && grantedForMs(grant, s.now) >= view.guard.spec.grantTimeoutMs
}

/** First the slot, then the claim, then the budgets of its guards. */
function nextStep(pass: GuardPass, x: GroupNode, slot: FreeSlot | undefined): readonly GuardAction[] {
  if (slot !== undefined) return [{ kind: 'takeSlot', node: x.name, ...slot }]
  if (x.claim === undefined) return [claiming(pass, x)]
  return opening(pass, x)
}

/** Releases each guard of the node: opens its budget, or in mode Budget deletes the pod. */
const opening = (pass: GuardPass, x: GroupNode): readonly GuardObjectAction[] =>
  x.wanted.flatMap((member): readonly GuardObjectAction[] => {
    const { view, n } = member
    if (!member.isThere) return []
    const ends = n.pods
      .filter(({ deleting, isLocked }) => deleting && isLocked)
      .map((pod): GuardObjectAction => ({ kind: 'unlockPod', view, pod, node: x.name }))
    const released = releasedBy(ofMember(pass, x, member))
    if (n.own === undefined) return [...removing(x, member, released), ...ends]
    const { wanted, gate } = n.own
    if (member.isOpen || gate === undefined) return ends
    return [{ kind: 'openGate', view, wanted, gate, node: x.name, ...released }, ...ends]
  })

/** Who overrode the holds, for the Event and the status. */
function releasedBy(answer: ReturnType<typeof ofMember>): { readonly released?: Released } {
  if (answer.kind !== 'released') return {}
  const { kind: _, ...released } = answer
  return { released }
}

/**
 * The Deployment replaces the deleted guard at once. So the node must take no pods, and no rollout may run that would take a second guard
 * away.
 */
function removing(
  { name, node }: GroupNode,
  { view, n }: Member,
  released: { readonly released?: Released },
): readonly GuardObjectAction[] {
  const { deployment } = view.fleet ?? {}
  if (node === undefined || !takesNoPods(node) || deployment === undefined || !isStill(deployment)) return []
  return n.pods
    .filter(({ deleting }) => !deleting)
    .map((pod) => ({ kind: 'letGo', view, pod, node: name, ...released }) as const)
}

const claiming = ({ s }: GuardPass, { name }: GroupNode): GuardAction => ({
  kind: 'claim',
  node: name,
  claim: {
    owner: guardOwner(s.group),
    id: `${s.now.toString(36)}-${shortHash(`${guardOwner(s.group)}/${name}`)}`,
    at: toIso(s.now),
    why: `it is being drained, and the guards of group ${s.group} let it go`,
  },
})

/** Takes a slot again for a granted node that has lost its slot. */
function kept({ s: { budget } }: GuardPass, x: GroupNode): readonly GuardAction[] {
  if (x.slot.kind !== 'none' || x.claim === undefined || budget.fault !== undefined) return []
  const slot = slotFor(slotsToAskFor(budget), x.name)
  return slot === undefined ? [] : [{ kind: 'takeSlot', node: x.name, ...slot }]
}

/** Ends the grant of a node whose budgets are closed: withdraws the claim, then releases the slot. */
function giveBack(pass: GuardPass, x: GroupNode): readonly GuardAction[] {
  const isBack = x.node === undefined || x.wanted.length === 0 || !(isAway(x) || isLosing(x))
  if (!isBack) return []
  if (x.node !== undefined && x.claim !== undefined)
    return [{ kind: 'withdrawClaim', node: x.name, owner: guardOwner(pass.s.group) }]
  return x.slot.kind === 'ours' ? [{ kind: 'releaseSlot', node: x.name, index: x.slot.index }] : []
}

function closeGate(x: GroupNode, { view, n }: Member, isExpired: boolean): GuardAction {
  const { wanted, gate } = n.own ?? {}
  invariant(wanted !== undefined && gate !== undefined, `an open budget of ${x.name} is there`)
  return { kind: 'closeGate', view, wanted, gate, node: x.name, ...(isExpired ? { isExpired: true } : {}) }
}
