import { invariant } from '../../model/invariant.ts'
import { type JsonPatch, pointerToken } from '../../model/json-patch.ts'
import {
  asksToLeave,
  formatMaintenance,
  MAINTENANCE_ANNOTATION,
  type MaintenanceRequest,
  parseMaintenance,
} from '../../model/maintenance.ts'
import type { Node, Taint } from '../../model/node.ts'
import {
  formatRecord,
  INTENT_ANNOTATION,
  type NodeRecord,
  RECORD_ANNOTATION,
  type RebootIntent,
} from '../../model/node-record.ts'
import { nodeChanged } from './node-changed.ts'

const annotation = (key: string): string => `/metadata/annotations/${pointerToken(key)}`

/** The very object that was read: a node deleted and made anew under the same name is not ours. */
const same = (node: Node): JsonPatch => [{ op: 'test', path: '/metadata/uid', value: node.uid }]

/** Nothing at all was written since it was read. */
const unchanged = (node: Node): JsonPatch => [
  ...same(node),
  { op: 'test', path: '/metadata/resourceVersion', value: node.resourceVersion },
]

/** Our record is still there, word for word. */
function recorded(node: Node): JsonPatch {
  const value = node.annotations[RECORD_ANNOTATION]
  invariant(value !== undefined, `no write to ${node.name} without a record`)
  return [...same(node), { op: 'test', path: annotation(RECORD_ANNOTATION), value }]
}

/** Written once: the node was read without a record, and nobody wrote to it since. */
export function recordPatch(node: Node, record: NodeRecord): JsonPatch {
  const none = Object.keys(node.annotations).length === 0
  return [
    ...unchanged(node),
    ...(none ? [{ op: 'add', path: '/metadata/annotations', value: {} } as const] : []),
    { op: 'add', path: annotation(RECORD_ANNOTATION), value: formatRecord(record) },
  ]
}

export const intentPatch = (node: Node, intent: RebootIntent): JsonPatch => [
  ...recorded(node),
  { op: 'test', path: '/metadata/resourceVersion', value: node.resourceVersion },
  { op: 'add', path: annotation(INTENT_ANNOTATION), value: formatRecord(intent) },
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
 * Undefined where somebody asks already: one request is enough, and another one's is not ours to replace. The word that
 * withdrew an earlier one is no request.
 */
export function askToLeavePatch(node: Node, request: MaintenanceRequest): JsonPatch | undefined {
  if (asksToLeave(node.annotations[MAINTENANCE_ANNOTATION])) return undefined
  return [
    ...recorded(node),
    ...unchanged(node),
    { op: 'add', path: annotation(MAINTENANCE_ANNOTATION), value: formatMaintenance(request) },
  ]
}

/** Undefined where nobody asks any more; `NODE_CHANGED` where it is another run by now, or somebody who is none. */
export function endMaintenancePatch(node: Node, run: string): JsonPatch | undefined {
  const value = node.annotations[MAINTENANCE_ANNOTATION]
  if (!asksToLeave(value)) return undefined
  const word = parseMaintenance(value)
  if (word.kind !== 'asked' || word.request.run !== run)
    throw nodeChanged(node, 'is asked to leave by somebody else now')
  const path = annotation(MAINTENANCE_ANNOTATION)
  return [...recorded(node), { op: 'test', path, value }, { op: 'remove', path }]
}

/** Undefined where it is gone already. */
export function removeTaintPatch(node: Node, taint: Taint): JsonPatch | undefined {
  const index = node.taints.findIndex(({ key, effect }) => key === taint.key && effect === taint.effect)
  if (index < 0) return undefined
  return [...unchanged(node), { op: 'remove', path: `/spec/taints/${index}` }]
}

/** The last thing taken from a node, with the intent that goes with it. */
export const removeRecordPatch = (node: Node): JsonPatch => [
  ...recorded(node),
  ...[INTENT_ANNOTATION, RECORD_ANNOTATION]
    .filter((key) => key in node.annotations)
    .map((key) => ({ op: 'remove', path: annotation(key) }) as const),
]
