import type { FailureWindow } from '../../../ground/model/probe.ts'
import type { WallMs } from '../../../ground/model/time.ts'

/** An effect may seem to come this much before its cause: clocks are coarse and packets slow. */
export const SLACK_MS = 250

interface WindowReach {
  /** A span without an end is still under way. */
  readonly overlaps: (start: number, end?: number) => boolean
}

/**
 * The time in which the cause of a window lies: from 250 ms before the first bad sample, and from after the last good one
 * before it (at least a period), until all was good again. A sample has the time at which it was due, so a request that was
 * given up seconds later counts when it was sent. One that broke while it was under way broke at its end.
 */
export function windowReach(window: FailureWindow, periodMs: number): WindowReach {
  const from = Math.min(window.lastOkAt ?? Number.POSITIVE_INFINITY, window.firstBadAt - periodMs) - SLACK_MS
  const to = Math.max(window.firstOkAt ?? Number.POSITIVE_INFINITY, firstFailureAt(window))
  return { overlaps: (start, end = Number.POSITIVE_INFINITY) => start <= to && end >= from }
}

/** The first of its failures, as far as that is known: at the end of its first bad sample, or when that was due. */
export const firstFailureAt = ({ firstFailedAt, firstBadAt }: FailureWindow): WallMs => firstFailedAt ?? firstBadAt
