import type { Finding } from '../../../ground/model/finding.ts'
import type { CauseCode } from '../causes.ts'

/** What a finding is about. */
export interface Subject {
  readonly kind: 'pod' | 'node' | 'service' | 'vantage' | 'cluster'
  readonly name: string
}

/** Its text and its cure are those of the cause. */
export interface DnsFinding extends Pick<Finding, 'code'> {
  readonly code: CauseCode
  readonly subjects: readonly Subject[]
  /** The readings that led to the finding, a sentence each. */
  readonly evidence: readonly string[]
}
