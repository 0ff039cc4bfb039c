import { MAINTENANCE_ANNOTATION, parseClaims } from '../../model/claims.ts'
import type { Node } from '../../model/node.ts'
import { EXCLUDE_LABEL, REMOVAL_TAINTS } from '../../model/node-facts.ts'
import { RECORD_ANNOTATION } from '../../model/node-record.ts'
import { parseNodeRecord } from '../../model/parse-node-record.ts'
import type { BudgetNode } from './snapshot.ts'

/** A Node never changes, and each pass asks for all of them. */
const KNOWN = new WeakMap<Node, BudgetNode>()

export function budgetNode(node: Node): BudgetNode {
  const known = KNOWN.get(node)
  if (known !== undefined) return known
  const claimed = claimedBy(node.annotations[MAINTENANCE_ANNOTATION])
  const leaving = leavingFor(node)
  const recordOf = recordOwner(node.annotations[RECORD_ANNOTATION])
  const made: BudgetNode = {
    name: node.name,
    addresses: node.internalAddresses,
    ready: node.ready,
    cordoned: node.unschedulable,
    ...(recordOf === undefined ? {} : { recordOf }),
    ...(claimed === undefined ? {} : { claimedBy: claimed }),
    ...(leaving === undefined ? {} : { leaving }),
    excluded: EXCLUDE_LABEL in node.labels,
  }
  KNOWN.set(node, made)
  return made
}

function recordOwner(text: string | undefined): BudgetNode['recordOf'] {
  if (text === undefined) return undefined
  const record = parseNodeRecord(text)
  return record.ok ? { run: record.value.run } : 'unreadable'
}

/** For whom claims on the node stand. What cannot be read keeps the node out as well. */
function claimedBy(text: string | undefined): string | undefined {
  const word = parseClaims(text)
  if (word.kind === 'unreadable') return 'an annotation that cannot be read'
  return word.kind === 'claimed' ? word.claims.map(({ owner }) => owner).join(' and ') : undefined
}

function leavingFor({ deleting, lifecycle = [], taints }: Node): string | undefined {
  if (deleting === true) return 'is being deleted'
  if (lifecycle.length > 0) return `is leaving: its condition ${lifecycle.join(', ')} is True`
  const removal = taints.map(({ key }) => key).filter((key) => REMOVAL_TAINTS.includes(key))
  return removal.length === 0 ? undefined : `is to be removed: it is tainted with ${removal.join(', ')}`
}
