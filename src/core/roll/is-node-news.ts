import type { Node } from '../../model/node.ts'
import { RECORD_ANNOTATION } from '../../model/node-record.ts'
import { isSameNode } from '../../model/same-node.ts'

/**
 * Whether a node that was told anew can change a decision. A heartbeat alone can only where it is waited for: on a node
 * that bears a record. Of a thousand others some come every second.
 */
export function isNodeNews(before: Node, now: Node): boolean {
  if (RECORD_ANNOTATION in now.annotations || RECORD_ANNOTATION in before.annotations) return true
  return !isSameNode(before, now)
}
