import type { WallMs } from '../../ground/model/time.ts'

/**
 * One reload (or restart) of a balancer instance that this roll did not ask for, as the readings around it bound it. A
 * process that is new knows nothing of what the one before was told.
 */
export interface ReloadSpan {
  readonly balancer: string
  readonly instance: string
  /** `backend/server` of what was out and came back into service with it, and the nodes they stand for; often none. */
  readonly servers: readonly string[]
  readonly nodes: readonly string[]
  /** When the process before was asked for the last answer it gave. */
  readonly from: WallMs
  /** The first answer of another process. */
  readonly seenAt: WallMs
  /** When every one of the servers was read as out again; absent until then. */
  readonly to?: WallMs
}
