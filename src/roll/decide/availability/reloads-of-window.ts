import type { FailureWindow } from '../../../ground/model/probe.ts'
import type { ReloadSpan } from '../../model/reload-span.ts'
import { SLACK_MS, windowReach } from './window-reach.ts'

interface ReloadsOfWindowInput {
  readonly window: FailureWindow
  /** Period of the window's lane. */
  readonly periodMs: number
  readonly reloads: readonly ReloadSpan[]
}

/** The reloads that a window fell into. What failed before a reload began is not its doing, however long it goes on. */
export function reloadsOfWindow({ window, periodMs, reloads }: ReloadsOfWindowInput): readonly ReloadSpan[] {
  const { overlaps } = windowReach(window, periodMs)
  return reloads.filter((span) => overlaps(span.from, span.to) && span.from <= window.firstBadAt + SLACK_MS)
}
