import type { FailureWindow } from '../../../ground/model/probe.ts'

/**
 * Whether `now` is the window that was told before: a verdict that takes seconds may move its beginning to the front, or
 * make one window of two.
 */
export const isSameWindow = (
  now: Pick<FailureWindow, 'target' | 'lane' | 'firstBadAt' | 'lastBadAt'>,
  told: Pick<FailureWindow, 'target' | 'lane' | 'firstBadAt'>,
): boolean =>
  now.target === told.target &&
  now.lane === told.lane &&
  now.firstBadAt <= told.firstBadAt &&
  told.firstBadAt <= now.lastBadAt
