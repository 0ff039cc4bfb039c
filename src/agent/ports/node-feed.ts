import type { NodeReading } from '../../ground/model/node-reading.ts'
import type { FollowEvent } from '../../ground/ports/cluster.ts'

/** Follows one Node without end. An empty list means that the API server has no such node. */
export interface NodeFeed {
  /** Settles only when aborted, with the signal's reason. */
  follow(sink: (event: FollowEvent<NodeReading>) => void, signal: AbortSignal): Promise<void>
}
