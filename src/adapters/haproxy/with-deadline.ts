import type { Clock } from '../../ports/clock.ts'

export interface Limit {
  readonly clock: Clock
  readonly ms: number
  /** The reason the work is given up with. */
  readonly late: () => Error
}

/** Runs `work` with a signal that fires when the caller's does, or when the time is up. */
export async function withDeadline<T>(
  limit: Limit,
  caller: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  caller.throwIfAborted()
  const late = new AbortController()
  const done = new AbortController()
  const timer = limit.clock.sleep(limit.ms, AbortSignal.any([caller, done.signal])).then(
    () => late.abort(limit.late()),
    () => undefined,
  )
  try {
    return await work(AbortSignal.any([caller, late.signal]))
  } finally {
    done.abort()
    await timer
  }
}
