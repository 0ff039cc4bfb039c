import type { WallMs } from '../../ground/model/time.ts'

/**
 * One reload (or restart) of a balancer instance that this roll did not ask for, between the readings around it. The new
 * process has lost all states that were set before. Or the instance could not be reached for a while, whether it was restarted or not.
 */
export interface ReloadSpan {
  readonly balancer: string
  readonly instance: string
  /** `backend/server` of each server that was out and came back into service with the reload, and their nodes; often none. */
  readonly servers: readonly string[]
  readonly nodes: readonly string[]
  /** When the process before was asked for its last reading. */
  readonly from: WallMs
  /** The first reading of the new process. Until then, where no process could be reached: the first poll that found none. */
  readonly seenAt: WallMs
  /** Why no process could be reached, in words that name the instance. */
  readonly away?: string
  /** When every one of these servers was read as out again; absent until then. */
  readonly to?: WallMs
}

/** No process has been reached since. */
export const isStillAway = ({ away, nodes, to }: ReloadSpan): boolean =>
  away !== undefined && to === undefined && nodes.length === 0
