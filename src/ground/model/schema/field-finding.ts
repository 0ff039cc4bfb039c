import type { Finding } from '../finding.ts'
import type { Reason } from '../reason.ts'

/** What is wrong with an object, or a warning for the person who wrote it. */
export interface FieldFinding extends Finding {
  /** In the API server's form: `spec.healthCheckNodePorts[1]`. */
  readonly field: string
  /** An object with an error is refused; a warning is only shown. */
  readonly severity: 'error' | 'warning'
  readonly fix: string
}

/** The same as a reason about the object, for its conditions and Events. */
export const findingReason = (about: Pick<Reason, 'code' | 'object'>, { field, text, fix }: FieldFinding): Reason => ({
  ...about,
  text: `${field}: ${text}`,
  next: fix,
})
