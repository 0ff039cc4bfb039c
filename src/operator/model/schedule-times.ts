import type { WallMs } from '../../ground/model/time.ts'

/** The times of a schedule around now. */
export interface ScheduleTimes {
  /** The latest one that has come since the last Roll; absent: none has. */
  readonly due?: WallMs
  /** How many have come before it that no Roll was made for. */
  readonly missed: number
  readonly next: WallMs
  readonly deadlineMs: number
}
