import type { Finding } from './finding.ts'

/**
 * `error` fails the plan (exit 2). `block`: the roll would stop there, and only a person can end that (exit 3). `hold` may hold
 * the roll; a `warning` is for people to consider.
 */
export interface PlanFinding extends Finding {
  readonly severity: 'error' | 'block' | 'hold' | 'warning'
  readonly node?: string
  /** Set where the finding is about several nodes. */
  readonly nodes?: readonly string[]
  /** All pods that a finding is about, `namespace/name`; its text names the first. */
  readonly pods?: readonly string[]
}
