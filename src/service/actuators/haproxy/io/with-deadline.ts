import { OVER } from '../../../../ground/model/over.ts'
import type { Clock } from '../../../../ground/ports/clock.ts'

interface Limit {
  readonly clock: Clock
  readonly ms: number
  /** The error that `work` is aborted with. */
  readonly late: () => Error
}

/** Runs `work` with a signal that fires when the caller's fires, or when the time is over. */
export async function withDeadline<T>(
  limit: Limit,
  caller: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  caller.throwIfAborted()
  const limited = new AbortController()
  const done = new AbortController()
  const onAbort = (): void => limited.abort(caller.reason)
  caller.addEventListener('abort', onAbort, { once: true })
  const timer = limit.clock.sleep(limit.ms, done.signal).then(
    () => limited.abort(limit.late()),
    () => undefined,
  )
  try {
    return await work(limited.signal)
  } finally {
    caller.removeEventListener('abort', onAbort)
    done.abort(OVER)
    await timer
  }
}
