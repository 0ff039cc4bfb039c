import type { WallMs } from '../time.ts'

export interface RefusedWrite {
  readonly words: string
  /** Since when it has been refused each time it was tried. */
  readonly since: WallMs
  /** It was not answered, so that what was written may stand. */
  readonly mayStand?: true
  /** It is not tried again before. */
  readonly until: WallMs
}

/** Writes that were refused when they were tried last, by the key of the action. */
export type Refusals = ReadonlyMap<string, RefusedWrite>
