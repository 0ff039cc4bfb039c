export type Retry = 'now' | 'backoff' | 'never'

interface WorldErrorFacts {
  readonly code: string
  readonly retry: Retry
  /** What the world asked us to wait (Retry-After), in milliseconds. */
  readonly retryAfterMs?: number
  readonly cause?: unknown
}

/**
 * Something outside answered wrongly, late or not at all. Thrown by adapters alone.
 * `code` is stable and documented; `retry` says whether asking again can help.
 */
export class WorldError extends Error {
  override readonly name = 'WorldError'
  readonly code: string
  readonly retry: Retry
  readonly retryAfterMs: number | undefined

  constructor(message: string, facts: WorldErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = facts.code
    this.retry = facts.retry
    this.retryAfterMs = facts.retryAfterMs
  }
}
