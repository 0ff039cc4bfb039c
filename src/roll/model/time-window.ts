import type { WallMs } from '../../ground/model/time.ts'

/** A time that comes again, and how long it lasts each time. */
export interface RecurringTime {
  /** Five fields, as in crontab(5): minute, hour, day of the month, month, day of the week. */
  readonly cron: string
  /** Elapsed time, which a clock that is put forward or back does not change. */
  readonly durationMs: number
  /** IANA name of the time zone that the expression is read in. */
  readonly zone: string
}

/** When the work of a roll is allowed. */
export interface TimeWindowSpec {
  /** The zone in which times are shown. */
  readonly zone: string
  readonly open: readonly RecurringTime[]
  /** No window is open at these times, whatever `open` says. */
  readonly not: readonly RecurringTime[]
  /** What is done with a node whose reboot is not announced yet when the window closes. */
  readonly onClose: 'finish' | 'restore'
  /** How long the roll waits for the next window; absent: as long as it takes. */
  readonly waitLimitMs?: number
}

/** From its first millisecond until the one before `to`. */
export interface TimeSpan {
  readonly from: WallMs
  readonly to: WallMs
}

/** Which time windows are open, by the clock that allows the least work. */
export interface TimeWindowState {
  readonly now: WallMs
  /** The window that is open. Absent: none is. */
  readonly open?: TimeSpan
  /** The window after that. Absent: none comes. */
  readonly next?: TimeSpan
  /** Of the longest window to come, also where it is seldom. */
  readonly longestMs: number
  /** How far the clock of this machine was set since the run began; both times must be within a window. Absent: not at all. */
  readonly clockSetByMs?: number
  /** How long the node under way is expected to take. Absent: nothing is known. */
  readonly need?: NodeNeed
}

export interface NodeNeed {
  readonly ms: number
  /** The estimate of the plan, or the slowest node of this run. */
  readonly by: 'estimate' | 'measured'
}
