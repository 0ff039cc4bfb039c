import type { FailureWindow } from '../../../ground/model/probe.ts'

/** Failed requests of a window that no control has excused. */
export const countedFailed = ({ failed, excused = 0 }: Pick<FailureWindow, 'failed' | 'excused'>): number =>
  failed - excused

/** All requests of the window are excused: it shows something about the prober and nothing about the target. */
export const isExcused = (window: Pick<FailureWindow, 'failed' | 'excused'>): boolean => countedFailed(window) === 0

/** The same for all of these windows. */
export const countedFailedOf = (windows: readonly Pick<FailureWindow, 'failed' | 'excused'>[]): number =>
  windows.reduce((sum, window) => sum + countedFailed(window), 0)

export const excusedOf = (windows: readonly Pick<FailureWindow, 'excused'>[]): number =>
  windows.reduce((sum, { excused = 0 }) => sum + excused, 0)
