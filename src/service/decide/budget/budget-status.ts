import { claimsOf, MAINTENANCE_ANNOTATION } from '../../../ground/model/claims.ts'
import { formatDuration } from '../../../ground/model/duration.ts'
import { isControlPlane, type Node } from '../../../ground/model/node.ts'
import { type ObjectRef, refKey } from '../../../ground/model/object-ref.ts'
import type { OutLimit } from '../../../ground/model/out-limit.ts'
import { asciiJson } from '../../../ground/model/posix-quote.ts'
import { present } from '../../../ground/model/present.ts'
import { type Command, evenkeel, kubectl, type Sentence, say } from '../../../ground/model/sentence.ts'
import { type SeenSlot, SLOT_STALE_MS, slotRef } from '../../../ground/model/slot.ts'
import { ONE_OUT } from '../../model/budget-object.ts'
import { RECORD_ANNOTATION } from '../../model/node-record.ts'
import { parseNodeRecord } from '../../model/parse-node-record.ts'
import { budgetNode } from './budget-node.ts'
import { maxOut } from './max-out.ts'
import { othersSlot, ownerText } from './owner-text.ts'
import type { CordonsThatCount, NodeOut } from './snapshot.ts'
import { whoIsOut } from './who-is-out.ts'

interface BudgetStatusInput {
  readonly namespace: string
  readonly nodes: readonly Node[]
  /** ConfigMaps that this identity is not allowed to read. */
  readonly unread: readonly ObjectRef[]
  /** Absent: there is no budget object, or it may not be read. */
  readonly limit?: OutLimit
  readonly cordons: CordonsThatCount
  readonly slots: readonly SeenSlot[]
  /** Numbers of the slots that were seen to be renewed: their holders live, whatever their clocks say. */
  readonly renewed: ReadonlySet<number>
  /** The clock of the machine that runs the command, in ms. */
  readonly wall: number
}

interface OutNode {
  readonly node: string
  readonly why: readonly string[]
  /** The owner, and the time, of the mark on the node. */
  readonly owner?: string
  readonly since?: string
}

interface ShownSlot {
  readonly index: number
  readonly node?: string
  readonly owner: string
  readonly renewTime: string
  /**
   * Why the holder seems to be gone, and the command that releases the slot. This was watched by our own clock for the whole
   * duration of the slot.
   */
  readonly left?: { readonly why: string; readonly command: Command }
  /** Why it is not known whether the holder lives, and how to find out. */
  readonly doubt?: Sentence
}

/**
 * What `evenkeel budget` shows. It does not ask balancers and agents: a node that only they know to be out is missing, or in
 * `mayBeOut`.
 */
export interface BudgetStatus {
  readonly maxOut: number
  /** ConfigMaps that this identity is not allowed to get, as `namespace/name`. */
  readonly unread: readonly string[]
  /** `2`, `25%`. Absent: there is no limit that may be read, and it is one. */
  readonly says?: string
  readonly nodes: number
  readonly out: readonly OutNode[]
  /** Nodes that are out or not, depending on the balancers and agents: a roll that asks them may count these as well. */
  readonly mayBeOut: readonly Pick<OutNode, 'node' | 'why'>[]
  readonly slots: readonly ShownSlot[]
  /** How many more may leave now, if all of `mayBeOut` are out. */
  readonly more: number
}

export function budgetStatus(reading: BudgetStatusInput): BudgetStatus {
  const { nodes, limit, cordons, slots } = reading
  const held = slots.filter(({ isStale }) => !isStale)
  const out = whoIsOut({
    nodes: nodes.map(budgetNode),
    places: [],
    cordons,
    slots: held.map(othersSlot),
    returning: new Set(),
  })
  const isOut = new Set(out.map(({ node }) => node))
  const unsure = nodes.filter(({ name }) => !isOut.has(name)).flatMap((node) => maybeOut(node, cordons))
  const max = maxOut(limit ?? ONE_OUT, nodes.length)
  const marks = new Map(nodes.map((node) => [node.name, markOf(node)]))
  return {
    maxOut: max,
    ...(limit === undefined ? {} : { says: limit.kind === 'count' ? `${limit.count}` : `${limit.percent}%` }),
    unread: reading.unread.map(refKey),
    nodes: nodes.length,
    out: out.map((one) => outNode(one, marks.get(one.node) ?? {}, held)),
    slots: slots.map((slot) => shownSlot(slot, reading)),
    mayBeOut: unsure,
    more: Math.max(0, max - out.length - unsure.length),
  }
}

/**
 * Whether agents that go by these marks, or the brake, may have taken the node out. kubeadm's control planes bear the label for
 * good.
 */
function maybeOut(node: Node, cordons: CordonsThatCount): BudgetStatus['mayBeOut'] {
  const { cordoned, excluded } = budgetNode(node)
  const why = [
    ...(cordoned && typeof cordons !== 'object' ? ['is cordoned'] : []),
    ...(excluded && !isControlPlane(node) ? ['has the label that keeps it out of load balancers'] : []),
  ]
  return why.length === 0 ? [] : [{ node: node.name, why }]
}

type Mark = Pick<OutNode, 'owner' | 'since'>

const ownerOf = (run: string): string => `run ${run}`

function markOf({ annotations }: Node): Mark {
  const record = parseNodeRecord(annotations[RECORD_ANNOTATION] ?? '')
  if (record.ok) return { owner: ownerOf(record.value.run), since: record.value.at }
  const claims = claimsOf(annotations[MAINTENANCE_ANNOTATION])
  if (claims.length === 0) return {}
  const [since] = claims.flatMap(({ at }) => at ?? []).toSorted()
  return { owner: claims.map(({ owner }) => owner).join(', '), ...present({ since }) }
}

function outNode({ node, why }: NodeOut, mark: Mark, slots: readonly SeenSlot[]): OutNode {
  const slot = slots.find(({ owner }) => owner.node === node)
  const owner = mark.owner ?? (slot === undefined ? undefined : ownerText(slot))
  // A node that is out already is not about to leave; the holder of its slot is shown as the owner.
  const already = why.filter(({ kind }) => kind !== 'slot')
  return {
    node,
    why: (already.length === 0 ? why : already).map(({ text }) => text),
    ...mark,
    ...present({ owner }),
  }
}

function shownSlot(slot: SeenSlot, reading: BudgetStatusInput): ShownSlot {
  const { index, owner, renewTime } = slot
  const doubt = slot.isStale || reading.renewed.has(index) ? undefined : doubtText(slot, reading.wall)
  return {
    index,
    ...present({ node: owner.node }),
    owner: ownerText(slot),
    renewTime,
    ...(slot.isStale ? { left: { why: whyLeft(slot), command: release(reading.namespace, slot) } } : {}),
    ...present({ doubt }),
  }
}

const whyLeft = ({ isUnled, livesBy, durationMs }: SeenSlot): string =>
  livesBy !== undefined && isUnled === true
    ? `no controller held Lease ${refKey(livesBy)} while this command looked`
    : `it was not renewed for ${formatDuration(durationMs)} while this command looked`

/** The clock of another machine, or a single reading, proves nothing, and a living holder must not lose its slot for it. */
function doubtText(
  { isHidden, isUnled, livesBy, renewTime, durationMs }: SeenSlot,
  wall: number,
): Sentence | undefined {
  if (livesBy !== undefined && isHidden === true)
    return `whether its holder lives cannot be seen: this identity is not allowed to get Lease ${refKey(livesBy)}`
  const again = evenkeel`budget --watch ${Math.ceil(Math.max(durationMs, SLOT_STALE_MS) / 60_000)}min`
  if (livesBy !== undefined && isUnled === true)
    return say`no controller holds Lease ${refKey(livesBy)} at this moment; ${again} shows whether one takes over`
  return wall - Date.parse(renewTime) > durationMs
    ? say`it was renewed last at ${renewTime}, by the clock of its holder, and lasts ${formatDuration(durationMs)}; ${again} shows whether it is renewed`
    : undefined
}

/**
 * The Lease is emptied and not deleted, so that Leases of higher numbers are still found. The patch is refused if another
 * holder has it by now.
 */
function release(namespace: string, { index, owner }: SeenSlot): Command {
  const path = '/spec/holderIdentity'
  const patch = asciiJson([
    { op: 'test', path, value: owner.holder },
    { op: 'replace', path, value: '' },
  ])
  return kubectl`-n ${namespace} patch lease ${slotRef(namespace, index).name} --type json -p ${patch}`
}
