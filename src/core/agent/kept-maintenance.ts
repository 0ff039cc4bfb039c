import type { KeptMaintenance } from '../../model/kept-maintenance.ts'
import { parseMaintenance } from '../../model/maintenance.ts'
import type { NodeFacts } from '../../model/node-facts.ts'
import type { AgentSnapshot } from './snapshot.ts'

/**
 * What is to be on the node's disk instead of `kept`. A request is kept from when it is seen until the API shows, to this
 * very process, the Node object that bore it without it: what a process remembers may be older than what is on the disk.
 * So may what it is told, where another agent of the node is told by another API server.
 */
export function keptMaintenance(
  { heard, evidence: { node } }: AgentSnapshot,
  kept: KeptMaintenance | undefined,
): KeptMaintenance | undefined {
  if (!heard || node === undefined || node === 'gone' || isOlder(node, kept)) return kept
  const word = parseMaintenance(node.maintenance)
  const { uid, resourceVersion } = node
  switch (word.kind) {
    case 'asked':
      return { version: 1, id: word.request.id, run: word.request.run, uid, resourceVersion }
    case 'unreadable':
      return kept
    case 'withdrawn':
      return undefined
    case 'none':
      return kept?.uid === uid ? undefined : kept
  }
}

/** Than the same Node when the request was seen on it. Versions of one object grow (KEP-5504). */
function isOlder(node: NodeFacts, kept: KeptMaintenance | undefined): boolean {
  if (kept === undefined || kept.uid !== node.uid) return false
  const [now, then] = [node.resourceVersion, kept.resourceVersion]
  if (!VERSION.test(now) || !VERSION.test(then)) return false
  return now.length === then.length ? now < then : now.length < then.length
}

const VERSION = /^[1-9]\d*$/
