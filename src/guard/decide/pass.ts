import { type Claim, claimsOf, MAINTENANCE_ANNOTATION } from '../../ground/model/claims.ts'
import type { Node } from '../../ground/model/node.ts'
import { present } from '../../ground/model/present.ts'
import { slotIdentity } from '../../ground/model/slot.ts'
import type { WallMs } from '../../ground/model/time.ts'
import { othersSlot } from '../../service/decide/budget/owner-text.ts'
import type { ByHand } from '../model/node-guard.ts'
import { asksToDrain, takesNoPods } from './asks.ts'
import type { GuardPod } from './found.ts'
import type { GuardedNode, GuardSnapshot, GuardView } from './snapshot.ts'

/** A guard of a node. */
export interface Member {
  readonly view: GuardView
  readonly n: GuardedNode
  /** A guard pod is on the node and stays. */
  readonly isThere: boolean
  /** That pod has been ready for `minReadySeconds`. */
  readonly isReady: boolean
  /** The budget is open, so evictions succeed. */
  readonly isOpen: boolean
}

/** A node with all guards of the group that it has, or is to have. */
export interface GroupNode {
  readonly name: string
  readonly node?: Node
  readonly members: readonly Member[]
  /** Those that are to be there. */
  readonly wanted: readonly Member[]
  /** The sign that the node is to be drained or that its guard was deleted, as the end of a sentence. Absent: there is none. */
  readonly asks?: string
  readonly slot: NodeSlot
  /** The claim of the group on the node. */
  readonly claim?: Claim
}

type NodeSlot =
  | { readonly kind: 'none' }
  | { readonly kind: 'ours'; readonly index: number }
  | { readonly kind: 'others'; readonly owner: string }

export interface GuardPass {
  readonly s: GuardSnapshot
  /** By name, without the quiet ones. */
  readonly nodes: readonly GroupNode[]
  /**
   * By guard: how many nodes are quiet. A quiet node is wanted, has a ready guard and a closed budget, asks for nothing, and has no slot and
   * no claim of the group. Nearly all of thousands of nodes are, and nothing is decided for them.
   */
  readonly quiet: ReadonlyMap<GuardView, number>
  /** Nodes without a ready guard, except those that a person has released from that. */
  readonly away: readonly GroupNode[]
}

/** The owner that claims for the guards of a group name. */
export const guardOwner = (group: string): string => `guard/${group}`

/** The decision and the status use the same result. */
const PASSES = new WeakMap<GuardSnapshot, GuardPass>()

export function guardPass(s: GuardSnapshot): GuardPass {
  const made = PASSES.get(s)
  if (made !== undefined) return made
  const slots = slotsByNode(s)
  const busy = busyNames(s, slots)
  const members = new Map<string, Member[]>()
  const quiet = new Map<GuardView, number>()
  for (const view of s.guards) {
    const found = view.nodes.filter(({ name }) => busy.has(name))
    quiet.set(view, view.nodes.length - found.length)
    for (const n of found) members.set(n.name, [...(members.get(n.name) ?? []), memberOf(s, view, n)])
  }
  // A slot or a claim may be left on a node that no guard is for any more.
  for (const [name, slot] of slots) if (slot.kind === 'ours' && !members.has(name)) members.set(name, [])
  for (const node of s.nodes.values())
    if (claimOn(node, s.group) !== undefined && !members.has(node.name)) members.set(node.name, [])
  const nodes = [...members].map(([name, of]) => groupNode(s, { name, of, slot: slots.get(name) ?? NO_SLOT }))
  const pass = {
    ...{ s, quiet },
    nodes: nodes.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    away: nodes.filter((x) => isAway(x) && !isGivenUp(s, x)),
  }
  PASSES.set(s, pass)
  return pass
}

/** Names of nodes that are not quiet for a guard of the group. */
function busyNames(s: GuardSnapshot, slots: ReadonlyMap<string, NodeSlot>): ReadonlySet<string> {
  const busy = new Set(slots.keys())
  for (const view of s.guards) {
    const isBusy = view.foreignBudgets.length > 0
    for (const n of view.nodes) if (isBusy || quietFrom(view, n) > s.now) busy.add(n.name)
  }
  return busy
}

/** A guarded node is replaced when something of it changes. */
const QUIET_FROM = new WeakMap<GuardedNode, number>()

/** From when on the node is quiet for this guard, if nothing changes. */
function quietFrom(view: GuardView, n: GuardedNode): number {
  const from = QUIET_FROM.get(n) ?? newQuietFrom(view, n)
  QUIET_FROM.set(n, from)
  return from
}

function newQuietFrom({ guard: { spec } }: GuardView, { node, isWanted, pods, own }: GuardedNode): number {
  if (!isWanted || node === undefined || own?.gate?.isOpen === true) return Number.POSITIVE_INFINITY
  if (asksToDrain(node) !== undefined || claimOn(node, spec.group) !== undefined) return Number.POSITIVE_INFINITY
  const minReadyMs = spec.minReadySeconds * 1_000
  const unknown = minReadyMs === 0 ? 0 : Number.POSITIVE_INFINITY
  return pods
    .filter(({ deleting, isReady }) => isReady && !deleting)
    .map(({ readySince }) => (readySince === undefined ? unknown : readySince + minReadyMs))
    .reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY)
}

const NO_SLOT: NodeSlot = { kind: 'none' }

interface Row {
  readonly name: string
  readonly of: readonly Member[]
  readonly slot: NodeSlot
}

/** The claim of that group on a node. */
export function claimOn({ annotations }: Node, group: string): Claim | undefined {
  const text = annotations[MAINTENANCE_ANNOTATION]
  return text === undefined ? undefined : claimsOf(text).find(({ owner }) => owner === guardOwner(group))
}

function groupNode({ group, nodes }: GuardSnapshot, { name, of, slot }: Row): GroupNode {
  const node = nodes.get(name)
  const asks = node === undefined ? undefined : askedBy(node, of)
  const claim = node === undefined ? undefined : claimOn(node, group)
  return {
    ...{ name, slot, members: of },
    wanted: of.filter(({ n }) => n.isWanted),
    ...present({ node, asks, claim }),
  }
}

function askedBy(node: Node, members: readonly Member[]): string | undefined {
  const isDeleted = ({ n: { pods } }: Member): boolean =>
    pods.every(({ deleting }) => deleting) && pods.some(({ isLocked }) => isLocked)
  return asksToDrain(node) ?? (members.some(isDeleted) ? 'has a guard that was deleted' : undefined)
}

function memberOf({ now }: GuardSnapshot, view: GuardView, n: GuardedNode): Member {
  const stays = ({ deleting, isLocked }: GuardPod): boolean => !deleting || isLocked
  const { minReadySeconds } = view.guard.spec
  const isReady = (pod: GuardPod): boolean =>
    pod.isReady && (pod.deleting || now - (pod.readySince ?? now) >= minReadySeconds * 1_000)
  return {
    view,
    n,
    isThere: n.pods.some(stays),
    isReady: n.pods.some((pod) => stays(pod) && isReady(pod)),
    isOpen: n.own?.gate?.isOpen === true,
  }
}

function slotsByNode({ budget: { slots, holder } }: GuardSnapshot): ReadonlyMap<string, NodeSlot> {
  const found = new Map<string, NodeSlot>()
  for (const slot of slots) {
    const { node } = slot.owner
    if (node === undefined) continue
    if (slotIdentity(slot) === holder) found.set(node, { kind: 'ours', index: slot.index })
    else if (!slot.isStale && !found.has(node)) found.set(node, { kind: 'others', owner: othersSlot(slot).owner })
  }
  return found
}

/** A wanted guard is missing or not ready, so no other node of the group may lose its own. */
export const isAway = ({ node, wanted }: GroupNode): boolean =>
  node !== undefined && wanted.some(({ isReady }) => !isReady)

/** A guard of it was deleted: it is still ready, and will not be for long. */
export const isLosing = ({ wanted }: GroupNode): boolean =>
  wanted.some(({ n: { pods } }) => pods.length > 0 && pods.every(({ deleting }) => deleting))

/**
 * Its guards cannot become ready before the node is drained: our finalizer keeps those that were deleted before they were ready, and those
 * that are gone do not come back while the node takes no pods.
 */
export const isStuck = (x: GroupNode): boolean =>
  isAway(x) &&
  x.wanted.every(({ isReady, n: { pods } }) => isReady || (pods.length > 0 ? pods.every(isResisting) : isShut(x)))

const isShut = ({ node }: GroupNode): boolean => node !== undefined && takesNoPods(node)

const isResisting = ({ deleting, isLocked }: GuardPod): boolean => deleting && isLocked

/** A person has said that the node may be without its guard. */
export const isGivenUp = ({ now }: GuardSnapshot, { name, wanted }: GroupNode): boolean =>
  wanted.every(({ isReady, view }) => isReady || releaseOf(view, name, now) !== undefined)

/** The release of a person that counts now. A release that cannot be read releases nothing. */
export const releaseOf = ({ guard: { releases } }: GuardView, name: string, now: WallMs): ByHand | undefined =>
  releases.entries.find(({ node, until }) => node === name && !isOver(until, now) && !isTooLong(until, now))

/** A longer release counts as forgotten. */
const RELEASE_MAX_MS = 24 * 3_600_000 + 60_000

export const isTooLong = (until: string | undefined, now: WallMs): boolean =>
  until === undefined || Date.parse(until) - now > RELEASE_MAX_MS

/** The entry of a person has expired. */
export const isOver = (until: string | undefined, now: WallMs): boolean =>
  until !== undefined && Date.parse(until) <= now

/** The group has a slot, a claim or an open budget for the node. */
export const isUnderWay = ({ members, slot, claim }: GroupNode): boolean =>
  slot.kind === 'ours' || claim !== undefined || members.some(({ isOpen }) => isOpen)

/** When the node began to ask. */
export const requestedAt = ({ s }: GuardPass, { name }: GroupNode): WallMs => s.requestedAt.get(name) ?? s.now

/** The time that decides its place in the queue. */
export const waitedFrom = (pass: GuardPass, x: GroupNode): WallMs =>
  pass.s.waitedFrom.get(x.name) ?? requestedAt(pass, x)
