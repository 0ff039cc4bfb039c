import { ONE_OUT } from '../../model/budget-object.ts'
import { claimsOf, MAINTENANCE_ANNOTATION } from '../../model/claims.ts'
import { formatDuration } from '../../model/duration.ts'
import type { Node } from '../../model/node.ts'
import { RECORD_ANNOTATION } from '../../model/node-record.ts'
import type { OutLimit } from '../../model/out-limit.ts'
import { parseNodeRecord } from '../../model/parse-node-record.ts'
import { type SeenSlot, slotRef } from '../../model/slot.ts'
import { budgetNode } from './budget-node.ts'
import { maxOut } from './max-out.ts'
import { othersSlot, ownerText } from './owner-text.ts'
import type { CordonsThatCount, NodeOut } from './snapshot.ts'
import { whoIsOut } from './who-is-out.ts'

interface BudgetReading {
  readonly namespace: string
  readonly nodes: readonly Node[]
  /** Absent: there is no budget object. */
  readonly limit?: OutLimit
  readonly cordons: CordonsThatCount
  readonly slots: readonly SeenSlot[]
  /** Of the machine that looks, in ms. */
  readonly wall: number
}

interface OutNode {
  readonly node: string
  readonly why: readonly string[]
  /** For whom, and since when, where a mark on the node says so. */
  readonly owner?: string
  readonly since?: string
}

interface ShownSlot {
  readonly index: number
  readonly node?: string
  readonly owner: string
  readonly renewTime: string
  /** Why it seems to be left behind, and the command that releases it. */
  readonly left?: { readonly why: string; readonly command: string }
}

/** What `evenkeel budget` tells. Balancers are not asked: a node that they alone have out is counted by a roll. */
export interface BudgetView {
  readonly maxOut: number
  /** `2`, `25%`; absent: nothing says how many, and it is one. */
  readonly says?: string
  readonly nodes: number
  readonly out: readonly OutNode[]
  readonly slots: readonly ShownSlot[]
  /** How many more may leave now. */
  readonly more: number
}

export function budgetView(reading: BudgetReading): BudgetView {
  const { nodes, limit, cordons, slots } = reading
  const held = slots.filter(({ isStale }) => !isStale)
  const out = whoIsOut({
    nodes: nodes.map(budgetNode),
    places: [],
    cordons,
    slots: held.map(othersSlot),
    returning: new Set(),
  })
  const max = maxOut(limit ?? ONE_OUT, nodes.length)
  const marks = new Map(nodes.map((node) => [node.name, markOf(node)]))
  return {
    maxOut: max,
    ...(limit === undefined ? {} : { says: limit.kind === 'count' ? `${limit.count}` : `${limit.percent}%` }),
    nodes: nodes.length,
    out: out.map((one) => outNode(one, marks.get(one.node) ?? {}, held)),
    slots: slots.map((slot) => shownSlot(slot, reading)),
    more: Math.max(0, max - out.length),
  }
}

type Mark = Pick<OutNode, 'owner' | 'since'>

const ownerOf = (run: string): string => `run ${run}`

function markOf({ annotations }: Node): Mark {
  const record = parseNodeRecord(annotations[RECORD_ANNOTATION] ?? '')
  if (record.ok) return { owner: ownerOf(record.value.run), since: record.value.at }
  const claims = claimsOf(annotations[MAINTENANCE_ANNOTATION])
  if (claims.length === 0) return {}
  const [since] = claims.flatMap(({ at }) => at ?? []).toSorted()
  return { owner: claims.map(({ owner }) => owner).join(', '), ...(since === undefined ? {} : { since }) }
}

function outNode({ node, why }: NodeOut, mark: Mark, slots: readonly SeenSlot[]): OutNode {
  const slot = slots.find(({ owner }) => owner.node === node)
  const owner = mark.owner ?? (slot === undefined ? undefined : ownerText(slot))
  // What is out already is not about to leave; who holds the slot is told beside it.
  const already = why.filter(({ kind }) => kind !== 'slot')
  return {
    node,
    why: (already.length === 0 ? why : already).map(({ text }) => text),
    ...mark,
    ...(owner === undefined ? {} : { owner }),
  }
}

function shownSlot(slot: SeenSlot, reading: BudgetReading): ShownSlot {
  const { index, owner, renewTime } = slot
  const why = whyLeft(slot, reading.wall)
  return {
    index,
    ...(owner.node === undefined ? {} : { node: owner.node }),
    owner: ownerText(slot),
    renewTime,
    ...(why === undefined ? {} : { left: { why, command: release(reading.namespace, index) } }),
  }
}

/** By the clock of its holder it is a guess; what was seen by our own, while we looked, is none. */
function whyLeft({ isStale, isUnled, livesBy, renewTime, durationMs }: SeenSlot, wall: number): string | undefined {
  if (livesBy !== undefined && isUnled === true) return `no controller holds Lease ${livesBy.namespace}/${livesBy.name}`
  if (isStale) return `it was not renewed for ${formatDuration(durationMs)} while this command looked`
  const ageMs = wall - Date.parse(renewTime)
  return ageMs > durationMs
    ? `it was renewed last at ${renewTime}, by the clock of its holder, and lasts ${formatDuration(durationMs)}`
    : undefined
}

/** Emptied and not deleted, so that those of higher numbers are found. */
const release = (namespace: string, index: number): string =>
  `kubectl -n ${namespace} patch lease ${slotRef(namespace, index).name} --type merge -p '{"spec":{"holderIdentity":""}}'`
