import { MAINTENANCE_ANNOTATION, parseClaims } from '../../../ground/model/claims.ts'
import type { Node } from '../../../ground/model/node.ts'
import { EXCLUDE_LABEL, KURED_IN_PROGRESS, SHUTDOWN_CONDITION, takenBy } from '../../../ground/model/node-reading.ts'
import { present } from '../../../ground/model/present.ts'
import { RECORD_ANNOTATION } from '../../model/node-record.ts'
import { parseNodeRecord } from '../../model/parse-node-record.ts'
import type { BudgetNode } from './snapshot.ts'

/** A Node object never changes, and each pass asks for all of them. */
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
    ...present({ recordOf, claimedBy: claimed, leaving }),
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

/** The owners of the claims on the node, in words. Claims that cannot be read keep the node out as well. */
function claimedBy(text: string | undefined): string | undefined {
  const word = parseClaims(text)
  if (word.kind === 'unreadable') return 'an annotation that cannot be read'
  return word.kind === 'claimed' ? word.claims.map(({ owner }) => owner).join(' and ') : undefined
}

function leavingFor({
  deleting,
  lifecycle = [],
  shuttingDown,
  taints,
  annotations,
  unschedulable,
}: Node): string | undefined {
  if (deleting === true) return 'is being deleted'
  const conditions = shuttingDown === true ? [...lifecycle, SHUTDOWN_CONDITION] : lifecycle
  if (conditions.length > 0) return `is leaving: its condition ${conditions.join(', ')} is True`
  const removal = taints.map(({ key }) => key).filter((key) => takenBy(key) !== undefined)
  if (removal.length > 0) return `is to be removed: it is tainted with ${removal.join(', ')}`
  // kured cordons the node that it drains; before that its annotation only means that the node needs a reboot.
  return unschedulable && KURED_IN_PROGRESS in annotations
    ? `is rebooted by kured: it has the annotation ${KURED_IN_PROGRESS}`
    : undefined
}
