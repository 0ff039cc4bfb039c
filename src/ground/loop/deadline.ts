import { OVER } from '../model/over.ts'
import type { Clock } from '../ports/clock.ts'

/** The work did not settle within its limit. It is not known whether it was done. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
  readonly limitMs: number

  constructor(what: string, limitMs: number) {
    super(`${what} did not answer within ${limitMs} ms`)
    this.limitMs = limitMs
  }
}

interface Deadline {
  readonly clock: Clock
  readonly limitMs: number
  readonly signal: AbortSignal
  /** Names the work in the error. */
  readonly what: string
}

/**
 * Runs `work` with a signal that fires at the limit or with the caller's signal. It settles then even if `work` ignores the
 * signal: rejects with DeadlineError at the limit, with the caller's reason when that one fires.
 */
export async function withDeadline<T>(deadline: Deadline, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, limitMs, signal, what } = deadline
  signal.throwIfAborted()
  const limited = new AbortController()
  const timer = new AbortController()
  const { promise: givenUp, reject } = Promise.withResolvers<never>()
  const giveUp = (reason: unknown): void => {
    limited.abort(reason)
    reject(reason)
  }
  const onAbort = (): void => giveUp(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  clock.sleep(limitMs, timer.signal).then(() => giveUp(new DeadlineError(what, limitMs)), reject)
  try {
    return await Promise.race([work(limited.signal), givenUp])
  } finally {
    signal.removeEventListener('abort', onAbort)
    timer.abort(OVER)
  }
}
