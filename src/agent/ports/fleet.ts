import type { FollowEvent } from '../../ground/ports/cluster.ts'
import type { FleetNode } from '../model/fleet-node.ts'

/** The nodes that share load balancers. */
export interface Fleet {
  /** Lists and watches, for ever. Settles only when aborted, with the signal's reason. */
  follow(sink: (event: FollowEvent<FleetNode>) => void, signal: AbortSignal): Promise<void>
  /** A fresh read, not the state of a watch; undefined if the fleet has no such node. Rejects with WorldError. */
  read(name: string, signal: AbortSignal): Promise<FleetNode | undefined>
}
