import type { NodeFacts } from '../../ground/model/node-facts.ts'
import type { FollowEvent } from '../../ground/ports/cluster.ts'

/** What the API server tells of one node, for ever. An empty list says that it knows no such node. */
export interface NodeFeed {
  /** Settles only when aborted, with the signal's reason. */
  follow(sink: (event: FollowEvent<NodeFacts>) => void, signal: AbortSignal): Promise<void>
}
