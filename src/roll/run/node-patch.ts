import {
  type Claim,
  claimsOf,
  formatClaims,
  formatWithClaim,
  MAINTENANCE_ANNOTATION,
  parseClaims,
  withoutClaim,
} from '../../ground/model/claims.ts'
import { invariant } from '../../ground/model/invariant.ts'
import { type JsonPatch, pointerToken } from '../../ground/model/json-patch.ts'
import type { Node, Taint } from '../../ground/model/node.ts'
import {
  formatRecord,
  INTENT_ANNOTATION,
  type NodeRecord,
  RECORD_ANNOTATION,
  REQUEST_ANNOTATION,
  type RebootIntent,
} from '../../service/model/node-record.ts'
import { nodeChanged } from './node-changed.ts'

const annotation = (key: string): string => `/metadata/annotations/${pointerToken(key)}`

/** Only the object that was read: a node deleted and made anew under the same name is not ours. */
export const sameNode = (node: Node): JsonPatch => [{ op: 'test', path: '/metadata/uid', value: node.uid }]

/** No client has written to it since it was read. */
export const unchanged = (node: Node): JsonPatch => [
  ...sameNode(node),
  { op: 'test', path: '/metadata/resourceVersion', value: node.resourceVersion },
]

/** Our record is still there, unchanged. */
export function recorded(node: Node): JsonPatch {
  const value = node.annotations[RECORD_ANNOTATION]
  invariant(value !== undefined, `no write to ${node.name} without a record`)
  return [...sameNode(node), { op: 'test', path: annotation(RECORD_ANNOTATION), value }]
}

/** Written once: the node was read without a record, and no client has written to it since. */
export function recordPatch(node: Node, record: NodeRecord, intent?: RebootIntent): JsonPatch {
  const none = Object.keys(node.annotations).length === 0
  return [
    ...unchanged(node),
    ...(none ? [{ op: 'add', path: '/metadata/annotations', value: {} } as const] : []),
    { op: 'add', path: annotation(RECORD_ANNOTATION), value: formatRecord(record) },
    ...(intent === undefined ? [] : [intentValue(intent)]),
  ]
}

const intentValue = (intent: RebootIntent) =>
  ({ op: 'add', path: annotation(INTENT_ANNOTATION), value: formatRecord(intent) }) as const

export const intentPatch = (node: Node, intent: RebootIntent): JsonPatch => [
  ...recorded(node),
  { op: 'test', path: '/metadata/resourceVersion', value: node.resourceVersion },
  intentValue(intent),
]

export const cordonPatch = (node: Node, unschedulable: boolean): JsonPatch => [
  ...recorded(node),
  { op: 'add', path: '/spec/unschedulable', value: unschedulable },
]

export const addTaintPatch = (node: Node, taint: Taint): JsonPatch => [
  ...unchanged(node),
  node.taints.length === 0
    ? { op: 'add', path: '/spec/taints', value: [taint] }
    : { op: 'add', path: '/spec/taints/-', value: taint },
]

/**
 * Adds the claim to the present ones. Undefined where its owner has one already, or where the claims cannot be read: such a
 * text keeps the node out as well, and is not ours to replace. The word that withdrew earlier claims counts as none. Throws
 * CLAIMS_FULL where there is no room for one more.
 */
export function claimPatch(node: Node, claim: Claim): JsonPatch | undefined {
  const before = node.annotations[MAINTENANCE_ANNOTATION]
  const claims = claimsOf(before)
  if (parseClaims(before).kind === 'unreadable' || claims.some(({ owner }) => owner === claim.owner)) return undefined
  const text = formatWithClaim(node.name, claims, claim)
  return [...recorded(node), ...asClaimed(node), { op: 'add', path: annotation(MAINTENANCE_ANNOTATION), value: text }]
}

/**
 * Withdraws the claim of this owner and no other; the last one removes the annotation. Undefined where it is withdrawn already;
 * `NODE_CHANGED` where the claims cannot be read.
 */
export function withdrawPatch(node: Node, owner: string): JsonPatch | undefined {
  const before = node.annotations[MAINTENANCE_ANNOTATION]
  const word = parseClaims(before)
  if (word.kind === 'unreadable') throw nodeChanged(node, `has claims that cannot be read: ${word.why}`)
  const claims = claimsOf(before)
  const left = withoutClaim(claims, owner)
  if (left.length === claims.length) return undefined
  const path = annotation(MAINTENANCE_ANNOTATION)
  const write =
    left.length === 0 ? ({ op: 'remove', path } as const) : { op: 'add' as const, path, value: formatClaims(left) }
  return [...recorded(node), ...asClaimed(node), write]
}

/** The claims are exactly those that were read; if there are none, no client has written to the Node since. */
function asClaimed(node: Node): JsonPatch {
  const value = node.annotations[MAINTENANCE_ANNOTATION]
  return value === undefined ? unchanged(node) : [{ op: 'test', path: annotation(MAINTENANCE_ANNOTATION), value }]
}

interface Annotated {
  readonly key: string
  readonly value: string
}

/**
 * Undefined where a detacher is asked already, with any value: that is not ours to replace. An existing acknowledgement is
 * kept: a detacher that goes by cordons, as node-detacher does, has answered the cordon before it is asked, and does not repeat
 * that.
 */
export function askToDetachPatch(node: Node, { key, value }: Annotated): JsonPatch | undefined {
  if (key in node.annotations) return undefined
  return [...recorded(node), ...unchanged(node), { op: 'add', path: annotation(key), value }]
}

/** Undefined where it is not asked any more; `NODE_CHANGED` where another client has set another value. */
export function endDetachPatch(node: Node, { key, value }: Annotated): JsonPatch | undefined {
  const found = node.annotations[key]
  if (found === undefined) return undefined
  if (found !== value) throw nodeChanged(node, `is to be detached for another owner now (${key})`)
  return [...recorded(node), { op: 'test', path: annotation(key), value }, { op: 'remove', path: annotation(key) }]
}

/** Undefined where the taint is gone already. */
export function removeTaintPatch(node: Node, taint: Taint): JsonPatch | undefined {
  const index = node.taints.findIndex(({ key, effect }) => key === taint.key && effect === taint.effect)
  if (index < 0) return undefined
  return [...unchanged(node), { op: 'remove', path: `/spec/taints/${index}` }]
}

/** Removed last from a node, together with its intent and what was asked of its rebooter. */
export const removeRecordPatch = (node: Node): JsonPatch => [
  ...recorded(node),
  ...[INTENT_ANNOTATION, REQUEST_ANNOTATION, RECORD_ANNOTATION]
    .filter((key) => key in node.annotations)
    .map((key) => ({ op: 'remove', path: annotation(key) }) as const),
]
