import type { GuardGround } from '../virtual-guard/guard-ground.ts'

/** Something that people ask explain about. */
export interface Situation {
  readonly name: string
  /** Brings it about, and answers the command that asks about it. */
  readonly arrange: (ground: GuardGround) => Promise<string>
  readonly state: string
  readonly verdict: RegExp
  /** Code of the first finding, which names the cause. */
  readonly code: string
  /** Somewhere in what was seen. */
  readonly evidence?: RegExp
  /** What would change it, first. */
  readonly next?: RegExp
}
