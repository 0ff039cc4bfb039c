import { MAINTENANCE_ANNOTATION, parseClaims } from '../../../ground/model/claims.ts'
import { canonicalAddress } from '../../../ground/model/ip-address.ts'
import type { Node } from '../../../ground/model/node.ts'
import { EXCLUDE_LABEL, SHUTDOWN_CONDITION, takenBy, workMarksOf } from '../../../ground/model/node-reading.ts'
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
    addresses: node.internalAddresses.map(canonicalAddress),
    ready: node.ready,
    cordoned: node.unschedulable,
    ...present({ recordOf, claimedBy: claimed, leaving }),
    excluded: EXCLUDE_LABEL in node.labels,
  }
  KNOWN.set(node, made)
  return made
}

/** By the list, which never changes either. */
const LISTS = new WeakMap<readonly Node[], readonly BudgetNode[]>()

export function budgetNodes(nodes: readonly Node[]): readonly BudgetNode[] {
  const known = LISTS.get(nodes) ?? nodes.map(budgetNode)
  LISTS.set(nodes, known)
  return known
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

function leavingFor(node: Node): string | undefined {
  const { deleting, lifecycle = [], shuttingDown, taints, unschedulable } = node
  if (deleting === true) return 'is being deleted'
  const conditions = shuttingDown === true ? [...lifecycle, SHUTDOWN_CONDITION] : lifecycle
  if (conditions.length > 0) return `is leaving: its condition ${conditions.join(', ')} is True`
  const removal = taints.map(({ key }) => key).filter((key) => takenBy(key) !== undefined)
  if (removal.length > 0) return `is to be removed: it is tainted with ${removal.join(', ')}`
  // Such a program cordons the node that it drains; before that, kured's annotation only means that the node needs a reboot.
  const [work] = unschedulable ? workMarksOf(node) : []
  return work && `is out because ${work.by} ${work.does} it: it has the ${work.in} ${work.key}`
}
