import type { FailureWindow, ProbeTarget } from '../../../ground/model/probe.ts'
import { laneSchedules } from './schedule.ts'

/** Time between two samples of the window's lane; 0 where the lane is not known. */
export function lanePeriodMs(targets: readonly ProbeTarget[], window: Pick<FailureWindow, 'target' | 'lane'>): number {
  const target = targets.find(({ name }) => name === window.target)
  const schedules = target === undefined ? [] : laneSchedules(target, 0)
  return schedules.find(({ lane }) => lane === window.lane)?.periodMs ?? 0
}
