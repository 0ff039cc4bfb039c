import type { SecretHeader } from './gate-spec.ts'
import type { Scoped } from './request-scope.ts'

export interface SilenceMatcher {
  readonly name: string
  /** `{node}` and `{address}` stand for the node; quoted where the value is a regular expression. */
  readonly value: string
  readonly regex: boolean
}

/** Alerts of the node in work that an Alertmanager is to keep quiet. */
export interface SilenceSpec extends Scoped {
  readonly name: string
  /** Base URL, without `/api/v2`. */
  readonly url: string
  readonly matchers: readonly SilenceMatcher[]
  /** From each renewal to the end: a roll that dies leaves its silence for no longer. */
  readonly durationMs: number
  readonly timeoutMs: number
  readonly onFailure: 'hold' | 'ignore'
  readonly headers: readonly SecretHeader[]
}
