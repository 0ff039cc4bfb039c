export type Retry = 'now' | 'backoff' | 'never'

interface WorldErrorDetails {
  readonly code: string
  readonly retry: Retry
  /** How long a server asked us to wait (Retry-After), in milliseconds. */
  readonly retryAfterMs?: number
  readonly cause?: unknown
}

/**
 * Something outside the program answered wrongly, late or not at all. Only thrown by code that speaks a protocol. `code` is
 * stable and documented; `retry` says whether another try can help.
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
