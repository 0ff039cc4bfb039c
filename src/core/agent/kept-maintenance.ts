import type { KeptMaintenance } from '../../model/kept-maintenance.ts'
import { parseMaintenance } from '../../model/maintenance.ts'
import type { AgentSnapshot } from './snapshot.ts'

/**
 * What is to be on the node's disk. A request is kept from when it is seen until the API shows, to this very process, the
 * Node object that bore it without it: what a process remembers may be older than what is on the disk.
 */
export function keptMaintenance({ heard, kept, evidence: { node } }: AgentSnapshot): KeptMaintenance | undefined {
  if (!heard || node === undefined || node === 'gone') return kept
  const word = parseMaintenance(node.maintenance)
  switch (word.kind) {
    case 'asked':
      return { version: 1, id: word.request.id, run: word.request.run, uid: node.uid }
    case 'unreadable':
      return kept
    case 'withdrawn':
      return undefined
    case 'none':
      return kept?.uid === node.uid ? undefined : kept
  }
}
