import type { Node } from '../../ground/model/node.ts'
import { isSameNode } from '../../ground/model/same-node.ts'
import { RECORD_ANNOTATION } from '../../service/model/node-record.ts'

/**
 * Whether a change of a Node can change a decision. A heartbeat alone can do so only on a node that bears a record, where it is
 * waited for: of a thousand other nodes some come every second.
 */
export function isNodeNews(before: Node, now: Node): boolean {
  if (RECORD_ANNOTATION in now.annotations || RECORD_ANNOTATION in before.annotations) return true
  return !isSameNode(before, now)
}
