import type { Sentence } from './sentence.ts'

/**
 * `error` fails the plan (exit 2). `block`: the roll would come to a stop there and nothing but a person ends it (exit 3).
 * `hold` may hold the roll, `warning` is for people to weigh.
 */
export interface PlanFinding {
  readonly severity: 'error' | 'block' | 'hold' | 'warning'
  readonly code: string
  readonly node?: string
  /** Where it is one finding of several nodes. */
  readonly nodes?: readonly string[]
  /** All pods that a finding is about, `namespace/name`; its text names the first. */
  readonly pods?: readonly string[]
  readonly text: string
  readonly fix?: Sentence
}
