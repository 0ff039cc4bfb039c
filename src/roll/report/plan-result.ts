import type { WindowDocument } from './view/outcome-document.ts'

/** What the demo's own probe counted, beside the probe of the roll. */
export interface Judged {
  readonly ratePerSecond: number
  readonly plans: readonly PlanResult[]
}

/** The failures of one way of rolling, of several that were run one after another under the same traffic. */
export interface PlanResult {
  readonly name: string
  /** How many failures a check once a second would have counted: the mean over all moments at which it could begin. */
  readonly failedAt1Hz: number
  readonly failedRequests: number
  readonly sentRequests: number
  readonly strays?: number
  readonly downtimeMs: { readonly low: number; readonly high: number | null }
  readonly seconds: number
  readonly windows: readonly WindowDocument[]
}
