import type { WallMs } from '../../ground/model/time.ts'
import type { TimeSpan } from '../model/time-window.ts'

/** The time windows of a roll file, as spans of time. */
export interface TimeWindows {
  /** The first `count` windows that end after `at`, in order; no two touch. Fewer: there are no more for years. */
  spansFrom(at: WallMs, count: number): readonly TimeSpan[]
  /** How long the longest of the windows to come takes, also where it is seldom. 0: there is none. */
  longestMs(at: WallMs): number
}
