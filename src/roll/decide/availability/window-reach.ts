import type { FailureWindow } from '../../../ground/model/probe.ts'

/** An effect may seem to come this much before its cause: clocks are coarse and packets slow. */
export const SLACK_MS = 250

interface WindowReach {
  /** A span without an end is still under way. */
  readonly overlaps: (start: number, end?: number) => boolean
}

/**
 * The time in which the cause of a window lies: from 250 ms before the first bad sample, and from after the last good one
 * before it (at least a period), until all was good again. A sample has the time at which it was due, so a request that was
 * given up seconds later counts when it was sent.
 */
export function windowReach(window: FailureWindow, periodMs: number): WindowReach {
  const from = Math.min(window.lastOkAt ?? Number.POSITIVE_INFINITY, window.firstBadAt - periodMs) - SLACK_MS
  const to = window.firstOkAt ?? Number.POSITIVE_INFINITY
  return { overlaps: (start, end = Number.POSITIVE_INFINITY) => start <= to && end >= from }
}
