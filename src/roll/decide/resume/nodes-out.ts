import type { Node } from '../../../ground/model/node.ts'
import { type NodeRecord, RECORD_ANNOTATION } from '../../../service/model/node-record.ts'
import { parseNodeRecord } from '../../../service/model/parse-node-record.ts'

export interface NodeOut {
  readonly node: Node
  readonly record: NodeRecord
}

interface NodesOut {
  readonly recorded: readonly NodeOut[]
  /** Nodes with a record that cannot be read: neither its run nor the earlier state is known. */
  readonly unreadable: readonly Node[]
}

/** The nodes that some run has changed and not put back, by their records. */
export function nodesOut(nodes: readonly Node[]): NodesOut {
  const marked = nodes.flatMap((node) => {
    const text = node.annotations[RECORD_ANNOTATION]
    return text === undefined ? [] : [{ node, parsed: parseNodeRecord(text) }]
  })
  return {
    recorded: marked.flatMap(({ node, parsed }) => (parsed.ok ? [{ node, record: parsed.value }] : [])),
    unreadable: marked.flatMap(({ node, parsed }) => (parsed.ok ? [] : [node])),
  }
}
