import type { FailureWindow } from '../../../ground/model/probe.ts'

/** Failed requests of a window that no control excuses, or not yet. */
export const countedFailed = ({ failed, excused = 0 }: Pick<FailureWindow, 'failed' | 'excused'>): number =>
  failed - excused

/** All of its requests are excused: the window says something about the prober and nothing about the target. */
export const isExcused = (window: Pick<FailureWindow, 'failed' | 'excused'>): boolean => countedFailed(window) === 0

/** Over all of these windows. */
export const countedFailedOf = (windows: readonly Pick<FailureWindow, 'failed' | 'excused'>[]): number =>
  windows.reduce((sum, window) => sum + countedFailed(window), 0)

export const excusedOf = (windows: readonly Pick<FailureWindow, 'excused'>[]): number =>
  windows.reduce((sum, { excused = 0 }) => sum + excused, 0)
