import { type WallMs, wallMs } from '../model/time.ts'
import type { Clock } from '../ports/clock.ts'

/** A step that people should hear of; less is said of no log. */
const WARNED_FROM_MS = 500

interface SteadyClockOptions {
  /** What is to be added to the monotonic clock; the wall clock's own distance where absent. */
  readonly offsetMs?: number
  /** The wall clock was set, by so much in all since the beginning. */
  readonly onSet?: (byMs: number) => void
}

/** A clock whose wall time is never set: what happened later has the later stamp. */
export interface SteadyClock extends Clock {
  /** For another process of this machine, whose stamps are then of one scale with ours. */
  readonly offsetMs: number
}

/**
 * A roll compares stamps of several processes: a failure counts if it came after the baseline's end. If the wall
 * clock is set back in between, the failure would not count. Steps are left out therefore, and told; what a time server does
 * by and by is done to the monotonic clock as well (clock_gettime(2)).
 *
 * Law: a wall clock that is set moves no stamp.
 */
export function steadyClock(clock: Clock, { offsetMs, onSet }: SteadyClockOptions = {}): SteadyClock {
  const offset = offsetMs ?? clock.wallMs() - clock.monoMs()
  let warnedMs = 0
  const check = (now: WallMs): void => {
    const setByMs = clock.wallMs() - now
    if (Math.abs(setByMs - warnedMs) < WARNED_FROM_MS) return
    warnedMs = setByMs
    onSet?.(setByMs)
  }
  return {
    offsetMs: offset,
    monoMs: () => clock.monoMs(),
    wallMs: () => {
      const now = wallMs(clock.monoMs() + offset)
      if (onSet !== undefined) check(now)
      return now
    },
    sleep: (ms, signal) => clock.sleep(ms, signal),
  }
}
