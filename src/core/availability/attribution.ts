import type { FailureWindow } from '../../model/probe.ts'
import type { Blame } from '../../model/roll-event.ts'
import type { Step } from '../../model/step.ts'
import type { WallMs } from '../../model/time.ts'

export interface StepSpan {
  readonly node: string
  readonly step: Step
  readonly startedAt: WallMs
  /** Absent while under way. */
  readonly endedAt?: WallMs
}

/** `prober`: a control target failed at the same time, so the window says nothing about the nodes. */
export type Attribution = { readonly kind: 'prober' } | { readonly kind: 'steps'; readonly blame: readonly Blame[] }

/** Effects come after their cause by as much as a clock is coarse and a packet slow. */
const SLACK_MS = 250

export interface AttributionInput {
  readonly window: FailureWindow
  /** Period of the window's lane. */
  readonly periodMs: number
  /** The control target's windows. */
  readonly controlWindows: readonly FailureWindow[]
  readonly steps: readonly StepSpan[]
}

/**
 * The steps of any node that overlap the window, widened at its front by 250 ms and what lies between
 * the last good sample and the first bad one (a period at least). Most likely first: the
 * one begun last before the first bad sample; then those begun after it, in order. Empty blame: no step overlaps.
 */
export function attribute({ window, periodMs, controlWindows, steps }: AttributionInput): Attribution {
  const from = Math.min(window.lastOkAt ?? Number.POSITIVE_INFINITY, window.firstBadAt - periodMs) - SLACK_MS
  const to = window.firstOkAt ?? Number.POSITIVE_INFINITY
  const overlaps = (start: number, end: number): boolean => start <= to && end >= from
  const blind = controlWindows.some((w) =>
    overlaps(w.firstBadAt - SLACK_MS, (w.firstOkAt ?? Number.POSITIVE_INFINITY) + SLACK_MS),
  )
  if (blind) return { kind: 'prober' }
  const begunAfter = (step: StepSpan): number => Math.max(0, step.startedAt - window.firstBadAt)
  const ranked = steps
    .filter((step) => overlaps(step.startedAt, step.endedAt ?? Number.POSITIVE_INFINITY))
    .sort((a, b) => begunAfter(a) - begunAfter(b) || b.startedAt - a.startedAt)
  return { kind: 'steps', blame: ranked.map(({ node, step }, i) => ({ node, step, rank: i + 1 })) }
}
