import type { FollowEvent } from '../../ground/ports/cluster.ts'
import type { CordonGrants } from '../../service/model/cordon-grants.ts'

/** The object as it was told; without grants where it makes no sense, which is not to say that there is none. */
export interface ToldGrants {
  readonly grants?: CordonGrants
}

/** What the API server tells of the brake of the fleet, for ever. An empty list says that there is none. */
export interface GrantsFeed {
  /** Settles only when aborted, with the signal's reason. */
  follow(sink: (event: FollowEvent<ToldGrants>) => void, signal: AbortSignal): Promise<void>
}
