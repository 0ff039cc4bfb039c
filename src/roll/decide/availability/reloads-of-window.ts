import type { FailureWindow } from '../../../ground/model/probe.ts'
import { isStillAway, type ReloadSpan } from '../../model/reload-span.ts'
import { firstFailureAt, SLACK_MS, windowReach } from './window-reach.ts'

interface ReloadsOfWindowInput {
  readonly window: FailureWindow
  /** Period of the window's lane. */
  readonly periodMs: number
  readonly reloads: readonly ReloadSpan[]
}

/** The reloads that may have caused a window. A failure from before a reload began has another cause, however long it goes on. */
export function reloadsOfWindow({ window, periodMs, reloads }: ReloadsOfWindowInput): readonly ReloadSpan[] {
  const { overlaps } = windowReach(window, periodMs)
  return reloads.filter((span) => overlaps(span.from, span.to) && span.from <= firstFailureAt(window) + SLACK_MS)
}

/**
 * All of it failed while no process of a balancer was reached, or right after: the node that was being put back had no part in it. Where
 * requests get whole answers, and wrong ones, something still sends them to the nodes.
 */
export const isOfAway = (input: ReloadsOfWindowInput): boolean =>
  reloadsOfWindow(input).some(
    (span) =>
      span.away !== undefined &&
      (isStillAway(span) ? !wasAnswered(input.window) : input.window.lastBadAt <= span.seenAt + SLACK_MS),
  )

const wasAnswered = ({ failures: { status = 0, content = 0 } }: FailureWindow): boolean => status + content > 0
