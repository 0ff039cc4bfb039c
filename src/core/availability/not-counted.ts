import type { FailureWindow, ProbeFacts, ProbeTarget } from '../../model/probe.ts'
import { attribute } from './attribution.ts'
import { laneSchedules } from './schedule.ts'

/** The windows in which a control target failed too: they say something about the prober and nothing about the target. */
export function notCounted(facts: ProbeFacts, targets: readonly ProbeTarget[]): ReadonlySet<FailureWindow> {
  const controlWindows = facts.windows.filter((window) => window.control)
  const blind = facts.windows.filter(
    (window) =>
      !window.control &&
      attribute({ window, periodMs: periodMsOf(window, targets), controlWindows, steps: [] }).kind === 'prober',
  )
  return new Set(blind)
}

function periodMsOf(window: FailureWindow, targets: readonly ProbeTarget[]): number {
  const target = targets.find(({ name }) => name === window.target)
  const schedules = target === undefined ? [] : laneSchedules(target, 0)
  return schedules.find(({ lane }) => lane === window.lane)?.periodMs ?? 0
}
