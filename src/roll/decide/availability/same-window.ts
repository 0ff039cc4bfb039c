import type { FailureWindow } from '../../../ground/model/probe.ts'

/**
 * Whether `now` is the window that was shown before: a verdict that takes seconds may move its beginning to an earlier time, or
 * make two windows of one.
 */
export const isSameWindow = (
  now: Pick<FailureWindow, 'target' | 'lane' | 'firstBadAt' | 'lastBadAt'>,
  earlier: Pick<FailureWindow, 'target' | 'lane' | 'firstBadAt'>,
): boolean =>
  now.target === earlier.target &&
  now.lane === earlier.lane &&
  now.firstBadAt <= earlier.firstBadAt &&
  earlier.firstBadAt <= now.lastBadAt
