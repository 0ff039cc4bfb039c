import { OVER } from '../model/over.ts'
import { untilAborted } from '../model/until-aborted.ts'
import type { Clock } from '../ports/clock.ts'

interface Limit {
  readonly clock: Clock
  readonly ms: number
  readonly signal: AbortSignal
  /** The error that ends the work when the time is up. */
  readonly late: () => Error
}

/** Runs `work` until it settles, the caller aborts or the time is up; its signal tells it to end. */
export async function within<T>(limit: Limit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  limit.signal.throwIfAborted()
  const ended = new AbortController()
  const timer = new AbortController()
  const pass = () => ended.abort(limit.signal.reason)
  limit.signal.addEventListener('abort', pass, { once: true })
  limit.clock.sleep(limit.ms, timer.signal).then(
    () => ended.abort(limit.late()),
    () => undefined,
  )
  try {
    return await untilAborted(work(ended.signal), ended.signal)
  } finally {
    limit.signal.removeEventListener('abort', pass)
    timer.abort(OVER)
  }
}
