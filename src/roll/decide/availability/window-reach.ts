import type { FailureWindow } from '../../../ground/model/probe.ts'

/** Effects come after their cause by as much as a clock is coarse and a packet slow. */
export const SLACK_MS = 250

interface WindowReach {
  /** A span without an end is under way. */
  readonly overlaps: (start: number, end?: number) => boolean
}

/**
 * The time in which the cause of a window lies: from 250 ms before the first bad sample, and what lies between the last
 * good one and it (a period at least), until all was good again. Samples are stamped by when they were due, so a request
 * that was given up seconds later stands where it was sent.
 */
export function windowReach(window: FailureWindow, periodMs: number): WindowReach {
  const from = Math.min(window.lastOkAt ?? Number.POSITIVE_INFINITY, window.firstBadAt - periodMs) - SLACK_MS
  const to = window.firstOkAt ?? Number.POSITIVE_INFINITY
  return { overlaps: (start, end = Number.POSITIVE_INFINITY) => start <= to && end >= from }
}
