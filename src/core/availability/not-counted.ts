import type { FailureWindow, ProbeFacts, ProbeTarget } from '../../model/probe.ts'
import { attribute } from './attribution.ts'
import { lanePeriodMs } from './lane-period.ts'

/** The windows in which a control target failed too: they say something about the prober and nothing about the target. */
export function notCounted(facts: ProbeFacts, targets: readonly ProbeTarget[]): ReadonlySet<FailureWindow> {
  const controlWindows = facts.windows.filter((window) => window.control)
  const isBlind = (window: FailureWindow): boolean => {
    const periodMs = lanePeriodMs(targets, window)
    return attribute({ window, periodMs, controlWindows, steps: [], reloads: [] }).kind === 'prober'
  }
  return new Set(facts.windows.filter((window) => !window.control && isBlind(window)))
}
