export type Retry = 'now' | 'backoff' | 'never'

interface WorldErrorDetails {
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

  constructor(message: string, details: WorldErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = details.code
    this.retry = details.retry
    this.retryAfterMs = details.retryAfterMs
  }
}
