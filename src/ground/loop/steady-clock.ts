import { type WallMs, wallMs } from '../model/time.ts'
import type { Clock } from '../ports/clock.ts'

/** A step of the clock that people should know about; smaller ones are not logged. */
const WARNED_FROM_MS = 500

interface SteadyClockOptions {
  /** The offset from the monotonic clock; absent: the present offset of the wall clock. */
  readonly offsetMs?: number
  /** The wall clock was set; `byMs` is the total since the beginning. */
  readonly onSet?: (byMs: number) => void
}

/** A clock whose wall time is never set: a later event has a later stamp. */
export interface SteadyClock extends Clock {
  /** As of now, for another process of this machine that begins, so that its stamps are on the same scale. */
  readonly offsetMs: number
}

/**
 * A roll compares stamps of several processes: a failure counts if it came after the end of the baseline. If the wall clock
 * were set back in between, the failure would not count. So steps of the clock are left out, and reported. Slow corrections by
 * a time server also change the monotonic clock (clock_gettime(2)). The time in which the machine slept has passed: it is no step.
 *
 * Law: a wall clock that is set moves no stamp.
 */
export function steadyClock(clock: Clock, { offsetMs, onSet }: SteadyClockOptions = {}): SteadyClock {
  const offset = offsetMs ?? clock.wallMs() - clock.monoMs()
  const asleepAtFirstMs = clock.asleepMs()
  let warnedMs = 0
  const check = (now: WallMs): void => {
    const setByMs = clock.wallMs() - now
    if (Math.abs(setByMs - warnedMs) < WARNED_FROM_MS) return
    warnedMs = setByMs
    onSet?.(setByMs)
  }
  const offsetNow = (): number => offset + clock.asleepMs() - asleepAtFirstMs
  return {
    get offsetMs() {
      return offsetNow()
    },
    monoMs: () => clock.monoMs(),
    wallMs: () => {
      const now = wallMs(clock.monoMs() + offsetNow())
      if (onSet !== undefined) check(now)
      return now
    },
    asleepMs: () => clock.asleepMs(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  }
}
