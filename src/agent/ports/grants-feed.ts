import type { FollowEvent } from '../../ground/ports/cluster.ts'
import type { CordonGrants } from '../../service/model/cordon-grants.ts'

/** The grants as read. Absent: the object exists and cannot be parsed. */
export interface GrantsReading {
  readonly grants?: CordonGrants
}

/** Follows the brake of the fleet without end. An empty list means that there is none. */
export interface GrantsFeed {
  /** Settles only when aborted, with the signal's reason. */
  follow(sink: (event: FollowEvent<GrantsReading>) => void, signal: AbortSignal): Promise<void>
}
