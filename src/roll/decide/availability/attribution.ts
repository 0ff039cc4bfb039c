import type { FailureWindow } from '../../../ground/model/probe.ts'
import type { WallMs } from '../../../ground/model/time.ts'
import type { ReloadSpan } from '../../model/reload-span.ts'
import type { Blame } from '../../model/roll-event.ts'
import type { Step } from '../../model/step.ts'
import { isExcused } from './not-counted.ts'
import { reloadsOfWindow } from './reloads-of-window.ts'
import { firstFailureAt, windowReach } from './window-reach.ts'

export interface StepSpan {
  readonly node: string
  readonly step: Step
  readonly startedAt: WallMs
  /** Absent while the step is under way. */
  readonly endedAt?: WallMs
}

/**
 * `prober`: a control target excuses all of the window, so it says nothing about the nodes. A reload is a likelier cause than
 * any step: it sends to nodes that the steps had taken out.
 */
export type Attribution =
  | { readonly kind: 'prober' }
  | { readonly kind: 'found'; readonly reloads: readonly ReloadSpan[]; readonly blame: readonly Blame[] }

interface AttributionInput {
  readonly window: FailureWindow
  /** Period of the window's lane. */
  readonly periodMs: number
  readonly steps: readonly StepSpan[]
  readonly reloads: readonly ReloadSpan[]
}

/**
 * The reloads, and the steps of any node that were under way when the first bad sample failed, or had ended shortly before: of
 * these, the step begun last is the most likely cause. A step that began later is not a cause, but often an answer to the
 * failure.
 */
export function attribute({ window, periodMs, steps, reloads }: AttributionInput): Attribution {
  if (isExcused(window)) return { kind: 'prober' }
  const { overlaps } = windowReach(window, periodMs)
  const ranked = steps
    .filter((step) => step.startedAt <= firstFailureAt(window) && overlaps(step.startedAt, step.endedAt))
    .sort((a, b) => b.startedAt - a.startedAt)
  return {
    kind: 'found',
    reloads: reloadsOfWindow({ window, periodMs, reloads }),
    blame: ranked.map(({ node, step }, i) => ({ node, step, rank: i + 1 })),
  }
}
