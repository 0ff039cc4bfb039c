import { MAINTENANCE_ANNOTATION, parseMaintenance } from '../../model/maintenance.ts'
import type { Node } from '../../model/node.ts'
import { EXCLUDE_LABEL, REMOVAL_TAINTS } from '../../model/node-facts.ts'
import { RECORD_ANNOTATION } from '../../model/node-record.ts'
import type { BudgetNode } from './snapshot.ts'

/** A Node never changes, and each pass asks for all of them. */
const KNOWN = new WeakMap<Node, BudgetNode>()

export function budgetNode(node: Node): BudgetNode {
  const known = KNOWN.get(node)
  if (known !== undefined) return known
  const asked = askedBy(node.annotations[MAINTENANCE_ANNOTATION])
  const leaving = leavingFor(node)
  const made: BudgetNode = {
    name: node.name,
    addresses: node.internalAddresses,
    ready: node.ready,
    cordoned: node.unschedulable,
    recorded: RECORD_ANNOTATION in node.annotations,
    ...(asked === undefined ? {} : { asked }),
    ...(leaving === undefined ? {} : { leaving }),
    excluded: EXCLUDE_LABEL in node.labels,
  }
  KNOWN.set(node, made)
  return made
}

/** For whom a claim on the node stands. One that cannot be read is a wish to leave as well. */
function askedBy(text: string | undefined): string | undefined {
  const word = parseMaintenance(text)
  if (word.kind === 'asked') return `run ${word.request.run}`
  return word.kind === 'unreadable' ? 'an annotation that cannot be read' : undefined
}

function leavingFor({ deleting, lifecycle = [], taints }: Node): string | undefined {
  if (deleting === true) return 'is being deleted'
  if (lifecycle.length > 0) return `is leaving: its condition ${lifecycle.join(', ')} is True`
  const removal = taints.map(({ key }) => key).filter((key) => REMOVAL_TAINTS.includes(key))
  return removal.length === 0 ? undefined : `is to be removed: it is tainted with ${removal.join(', ')}`
}
