import { type Claim, claimsOf, MAINTENANCE_ANNOTATION } from '../../ground/model/claims.ts'
import type { Node } from '../../ground/model/node.ts'
import { present } from '../../ground/model/present.ts'
import { runOfOwner, type SeenSlot } from '../../ground/model/slot.ts'
import { maxOut } from '../../service/decide/budget/max-out.ts'
import { othersSlot } from '../../service/decide/budget/owner-text.ts'
import type { NodeOut, OthersSlot } from '../../service/decide/budget/snapshot.ts'
import { ONE_OUT } from '../../service/model/budget-object.ts'
import { INTENT_ANNOTATION, RECORD_ANNOTATION } from '../../service/model/node-record.ts'
import { parseNodeRecord } from '../../service/model/parse-node-record.ts'
import { type NodeSnapshot, ownRecord } from './node-snapshot.ts'
import { goesBefore } from './service-of.ts'
import type { RollSnapshot, SlotReading } from './snapshot.ts'

type LimitSnapshot = Pick<RollSnapshot, 'budget' | 'spec'> & {
  readonly cluster: Pick<RollSnapshot['cluster'], 'nodes'>
}

/** How many slots there are. */
const slotCount = ({ budget, cluster }: LimitSnapshot): number => maxOut(budget?.limit ?? ONE_OUT, cluster.nodes.length)

/**
 * How many nodes may be out, this one included.
 *
 * Law: a roll file may ask for fewer nodes out than the budget allows, and never gets more.
 */
export function mayBeOut(s: LimitSnapshot): number {
  const asked = s.spec.slots.maxOut
  return asked === undefined ? slotCount(s) : Math.min(slotCount(s), maxOut(asked, s.cluster.nodes.length))
}

/** The slot of the node under way, or one that an earlier process of this run left. */
const isOurs = (s: NodeSnapshot, { owner }: SeenSlot): boolean =>
  runOfOwner(owner) === s.run.id && !isBeside(s, owner.node)

/** Another lane of this process has that node in work, with a slot of its own. */
export const isBeside = ({ run }: NodeSnapshot, node: string | undefined): boolean =>
  run.beside?.some((beside) => beside.node === node) === true

/** The slot of the node under way. */
const ownSlot = (s: NodeSnapshot): SeenSlot | undefined =>
  s.budget?.slots.find((slot) => isOurs(s, slot) && slot.owner.node === s.current.node.name)

/** Slots that other, live owners hold. The node of a stale owner counts by its own marks. */
const liveSlots = (s: NodeSnapshot): readonly SeenSlot[] =>
  (s.budget?.slots ?? []).filter((slot) => !slot.isStale && !isOurs(s, slot))

/**
 * Slots whose nodes count as about to leave. An owner that has begun with its node was admitted when all were counted, and does
 * not wait for owners that come after it. Where there is only one slot, its holder is found when the slot is asked for.
 */
export function countedSlots(s: NodeSnapshot): readonly OthersSlot[] {
  if (ownRecord(s) !== undefined) return []
  const isAskedFor = s.slot.state !== 'mine' && slotCount(s) === 1
  return liveSlots(s).flatMap((slot) => {
    const { index, owner } = slot
    // An owner that shares the node under way has a reason of its own, which names it.
    if (owner.node === s.current.node.name || (isAskedFor && index === 0)) return []
    return [othersSlot(slot)]
  })
}

/**
 * Slots whose nodes leave before the one under way, or have begun: of two owners that have not begun, the one with the lower slot goes
 * on. One that has begun waits only for those that have begun too. Unlike the budget, this is asked again before each step that takes
 * something away.
 */
export function slotsAhead(s: NodeSnapshot): readonly OthersSlot[] {
  const own = ownSlot(s)
  const isBegun = ownRecord(s) !== undefined
  const isAhead = (slot: SeenSlot): boolean => {
    const node = nodeOf(s, slot)
    if (node !== undefined && hasBegun(slot, node)) return true
    return !isBegun && (own === undefined || slot.index < own.index)
  }
  return liveSlots(s).flatMap((slot) =>
    slot.owner.node !== s.current.node.name && isAhead(slot) ? [othersSlot(slot)] : [],
  )
}

const nodeOf = ({ cluster }: NodeSnapshot, { owner }: SeenSlot): Node | undefined =>
  cluster.nodes.find(({ name }) => name === owner.node)

/** A roll begins with its record. A controller writes none: it begins with its claim. */
const hasBegun = ({ livesBy }: SeenSlot, { annotations }: Node): boolean =>
  RECORD_ANNOTATION in annotations ||
  (livesBy !== undefined && claimsOf(annotations[MAINTENANCE_ANNOTATION]).some(isOfController))

const isOfController = ({ owner }: Claim): boolean => owner.startsWith('ingress/') || owner.startsWith('guard/')

/**
 * Nodes that a roll does not wait for once it has begun: they have begun too, and come after it. Each counts the other if
 * the budget became smaller, or a third node bad, meanwhile; then the one with the lower slot goes on. A roll that has
 * announced its reboot does not ask, and waits for no other roll.
 */
export function waitingForUs(s: NodeSnapshot): ReadonlySet<string> {
  const own = ownRecord(s) === undefined ? undefined : ownSlot(s)
  if (own === undefined) return new Set()
  return new Set(
    liveSlots(s).flatMap((slot) => {
      const node = comesAfter(s, own, slot) ? nodeOf(s, slot) : undefined
      return node !== undefined && hasBegun(slot, node) && !(INTENT_ANNOTATION in node.annotations) ? [node.name] : []
    }),
  )
}

/** Two lanes of this process wait for each other's balancers too: in another order than there, each would wait for the other. */
function comesAfter(s: NodeSnapshot, own: SeenSlot, { index, owner }: SeenSlot): boolean {
  const lane = s.run.beside?.find(({ node }) => node === owner.node)
  return lane === undefined ? index > own.index : !goesBefore(s, lane)
}

/**
 * The other owner that holds a slot for the node under way: a node has one slot. Where there is only one slot, its holder is
 * found when the slot is asked for; slots above it may be held from a time when there were more.
 */
export function sharer(s: NodeSnapshot): SeenSlot | undefined {
  const isAskedFor = s.slot.state !== 'mine' && slotCount(s) === 1
  return liveSlots(s).find(({ index, owner }) => owner.node === s.current.node.name && !(isAskedFor && index === 0))
}

/**
 * Several owners may take a slot before each sees the other's, and be too many. The one with the lowest slot stays, so that one
 * goes on and the others ask again. Undefined: this run stays, or the others have begun already.
 */
export function yieldsTo(s: NodeSnapshot): SeenSlot | undefined {
  const own = ownSlot(s)
  if (own === undefined) return undefined
  return liveSlots(s).find((slot) => {
    const node = nodeOf(s, slot)
    return slot.index < own.index && !(node !== undefined && hasBegun(slot, node))
  })
}

/**
 * Nodes that hold no slot leave this run no room. Its slot would keep out another run that has room: one whose file asks for
 * more, or whose own node is the bad one. If there is only one slot, giving it back helps no other run.
 */
export function isShutOut(s: NodeSnapshot, bad: readonly NodeOut[]): boolean {
  const held = new Set(liveSlots(s).map(({ owner }) => owner.node))
  const without = bad.filter(({ node, why: [first] }) => first.kind !== 'slot' && !held.has(node))
  return slotCount(s) > 1 && without.length >= mayBeOut(s)
}

/** The slot to ask for, as far as its holder is known. */
export function slotToTake(s: NodeSnapshot): SlotReading & { readonly index: number } {
  if (s.slot.state === 'mine' || s.slot.state === 'lost') return { ...s.slot, index: 0 }
  const slots = s.budget?.slots ?? []
  const own = ownSlot(s) ?? slots.find((slot) => isOurs(s, slot))
  if (own !== undefined) return { ...s.slot, index: own.index }
  const count = slotCount(s)
  if (count === 1) return { ...s.slot, index: 0 }
  const held = new Map(slots.map((slot) => [slot.index, slot]))
  const indexes = Array.from({ length: count }, (_, index) => index)
  const ofNode = indexes.find((index) => isLeftForNode(s, held.get(index)))
  const free = indexes.find((index) => !held.has(index))
  if (free !== undefined && ofNode === undefined) return { state: 'free', mayAct: false, index: free }
  const left = indexes.filter((index) => {
    const slot = held.get(index)
    return slot?.isStale === true && !isBeside(s, slot.owner.node)
  })
  const stale = ofNode ?? left.find((index) => held.get(index)?.owner.isMachine !== true) ?? left[0]
  const index = stale ?? 0
  const owner = held.get(index)?.owner
  return {
    state: stale === undefined ? 'other' : 'stale',
    mayAct: false,
    index,
    ...(owner === undefined ? {} : { holderRun: runOfOwner(owner) }),
    ...present({ holderNode: owner?.node, holderIsMachine: owner?.isMachine }),
  }
}

/** A stale owner left a slot for the node under way, and it may be taken over: a free one would be this node's second. */
const isLeftForNode = (s: NodeSnapshot, slot: SeenSlot | undefined): boolean =>
  slot?.isStale === true &&
  slot.owner.node === s.current.node.name &&
  mayTakeStale(s, { holderRun: runOfOwner(slot.owner), ...present({ holderIsMachine: slot.owner.isMachine }) })

/** Whether another run holds a slot and renews it. */
export const lives = (s: NodeSnapshot, run: string): boolean =>
  liveSlots(s).some(({ owner }) => runOfOwner(owner) === run)

/**
 * A stale slot alone does not allow it: a node with a record whose run holds no slot any more still has to be restored. Nothing in
 * the cluster tells whether a machine of a load balancer is back.
 *
 * Law: a stale slot of another run is not taken over while a node bears the record of a run without a living slot.
 * Law: a stale slot that another run holds for a machine of a load balancer is not taken over.
 */
export function mayTakeStale(
  s: NodeSnapshot,
  { holderRun, holderIsMachine }: Pick<SlotReading, 'holderRun' | 'holderIsMachine'>,
): boolean {
  if (holderRun === s.run.id) return true
  if (holderIsMachine === true) return false
  const live = new Set(liveSlots(s).map(({ owner }) => runOfOwner(owner)))
  return s.cluster.nodes.every(({ annotations }) => {
    const text = annotations[RECORD_ANNOTATION]
    if (text === undefined) return true
    const record = parseNodeRecord(text)
    return record.ok && live.has(record.value.run)
  })
}
