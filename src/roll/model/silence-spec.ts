import type { SecretHeader } from './gate-spec.ts'
import type { Scoped } from './request-scope.ts'

export interface SilenceMatcher {
  readonly name: string
  /** `{node}` and `{address}` are replaced; quoted where the value is a regular expression. */
  readonly value: string
  readonly regex: boolean
}

/** Alerts of the node in work that an Alertmanager has to silence. */
export interface SilenceSpec extends Scoped {
  readonly name: string
  /** Base URL, without `/api/v2`. */
  readonly url: string
  readonly matchers: readonly SilenceMatcher[]
  /** How long a silence lasts after each renewal: after a roll that dies, its silence lasts no longer. */
  readonly durationMs: number
  readonly timeoutMs: number
  readonly onFailure: 'hold' | 'ignore'
  readonly headers: readonly SecretHeader[]
}
