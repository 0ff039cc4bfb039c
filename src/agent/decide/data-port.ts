import { present } from '../../ground/model/present.ts'
/** The state of the data port, and how many times in a row it was found in the other state. */
export interface DataPortStreak {
  /** Absent until it was found in the same state often enough. */
  readonly found?: 'open' | 'closed'
  readonly last?: 'open' | 'closed'
  readonly inARow: number
}

export const UNASKED: DataPortStreak = { inARow: 0 }

/** As health checks count: `fall` times closed in a row make it closed, `rise` times open make it open. */
export function dataPortAsked(
  before: DataPortStreak,
  last: 'open' | 'closed',
  limits: { readonly fall: number; readonly rise: number },
): DataPortStreak {
  const inARow = before.last === last ? before.inARow + 1 : 1
  const isEnough = inARow >= (last === 'open' ? limits.rise : limits.fall)
  const found = isEnough ? last : before.found
  return { ...present({ found }), last, inARow }
}
