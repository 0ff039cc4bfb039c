import type { Timers } from '../../ground/ports/timers.ts'
import type { WatchReply } from './api-request.ts'
import type { WatchEvent } from './watch-objects.ts'

/** As often as an API server vouches for how far a watch has come. */
const BOOKMARK_EVERY_MS = 60_000
/** For a watch that sets no timeout: the API server ends watches within half an hour to an hour. */
const LONGEST_MS = 30 * 60_000

interface WatchListener {
  readonly event: (event: WatchEvent) => void
  /** The server has ended it; not called where the listener did. */
  readonly end: () => void
}

/** Runs a watch as the API server does: with bookmarks where they are asked for, and to an end. The function ends it. */
export function serveWatch(timers: Timers, reply: WatchReply, { event, end }: WatchListener): () => void {
  const toStop: (() => void)[] = []
  const stop = (): void => {
    for (const each of toStop.splice(0)) each()
  }
  let isOver = false
  const finish = (): void => {
    isOver = true
    stop()
    end()
  }
  const close = reply.open((seen) => {
    if (isOver) return
    event(seen)
    if (seen.type === 'ERROR') finish()
  })
  if (isOver) {
    close()
    return stop
  }
  toStop.push(close, timers.later((reply.timeoutSeconds ?? LONGEST_MS / 1000) * 1000, finish))
  if (reply.bookmarks) toStop.push(repeat(timers, () => event(reply.bookmark())))
  return () => {
    isOver = true
    stop()
  }
}

function repeat(timers: Timers, run: () => void): () => void {
  let callOff = (): void => undefined
  const again = (): void => {
    callOff = timers.later(BOOKMARK_EVERY_MS, () => {
      run()
      again()
    })
  }
  again()
  return () => callOff()
}
