import { present } from '../ground/model/present.ts'
import { type WindowDocument, windowDocument } from '../roll/report/view/outcome-document.ts'
import type { PlanEnd } from './demo-actions.ts'
import type { DemoPlan } from './demo-plan.ts'
import type { Judged } from './judged-run.ts'

/** One line of the comparison, and one object of its JSON. Milliseconds where the name says so. */
export interface PlanOutcome {
  readonly name: DemoPlan
  /** How many failures a check once a second would have counted: the mean over all moments at which it could begin. */
  readonly failedAt1Hz: number
  readonly failedRequests: number
  readonly sentRequests: number
  /** Sent a second time, since their kept connection was closed before an answer. Absent: none. */
  readonly retriedRequests?: number
  readonly skippedRequests: number
  /** The longest time for which the cluster did not run: above some 200 ms the figures mean little. */
  readonly stalledMs: number
  readonly strays?: number
  /** How long at least one lane was failing. */
  readonly downtimeMs: { readonly low: number; readonly high: number }
  readonly seconds: number
  readonly windows: readonly WindowDocument[]
  /** Absent where the plan finished. */
  readonly failure?: string
}

export function planOutcome(name: DemoPlan, judged: Judged<PlanEnd>): PlanOutcome {
  const { outcome, seconds, reading, failedAt1Hz, stalledMs } = judged
  const { failed, sent, retried, skipped, downtime, status } = reading
  return {
    name,
    failedAt1Hz: Math.round(failedAt1Hz * 1_000) / 1_000,
    failedRequests: failed,
    sentRequests: sent,
    ...(retried === 0 ? {} : { retriedRequests: retried }),
    skippedRequests: skipped,
    stalledMs: Math.round(stalledMs),
    ...present({ strays: outcome.strays }),
    downtimeMs: { low: Math.round(downtime.lowMs), high: Math.round(downtime.highMs) },
    seconds: Math.round(seconds * 10) / 10,
    windows: status.windows.map((window) => windowDocument({ window, blame: [], reloads: [] })),
    ...present({ failure: outcome.failure }),
  }
}
