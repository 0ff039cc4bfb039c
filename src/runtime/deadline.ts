import type { Clock } from '../ports/clock.ts'

/** The work did not settle within its limit. Whether the world did what was asked is not known. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
  readonly limitMs: number

  constructor(what: string, limitMs: number) {
    super(`${what} did not answer within ${limitMs} ms`)
    this.limitMs = limitMs
  }
}

export interface Deadline {
  readonly clock: Clock
  readonly limitMs: number
  readonly signal: AbortSignal
  /** Names the work in the error. */
  readonly what: string
}

/**
 * Runs `work` with a signal that fires at the limit or with the caller's. Settles then even where `work` ignores its
 * signal: rejects with DeadlineError at the limit, with the caller's reason when that one fires.
 */
export async function withDeadline<T>(deadline: Deadline, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, limitMs, signal, what } = deadline
  signal.throwIfAborted()
  const expired = new AbortController()
  const settled = new AbortController()
  const expiry = async (): Promise<never> => {
    await clock.sleep(limitMs, AbortSignal.any([signal, settled.signal]))
    const error = new DeadlineError(what, limitMs)
    expired.abort(error)
    throw error
  }
  try {
    return await Promise.race([work(AbortSignal.any([signal, expired.signal])), expiry()])
  } finally {
    settled.abort()
  }
}
