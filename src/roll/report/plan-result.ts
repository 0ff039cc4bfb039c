import type { WindowDocument } from './view/outcome-document.ts'

/** What the demo's own judge counted, beside what the probe of the roll did. */
export interface Judged {
  readonly ratePerSecond: number
  readonly plans: readonly PlanResult[]
}

/** What one way of rolling cost, of several that were run one after another under the same traffic. */
export interface PlanResult {
  readonly name: string
  /** What a check once a second would have counted: the mean over all phases of the same stream. */
  readonly failedAt1Hz: number
  readonly failedRequests: number
  readonly sentRequests: number
  readonly strays?: number
  readonly downtimeMs: { readonly low: number; readonly high: number | null }
  readonly seconds: number
  readonly windows: readonly WindowDocument[]
}
