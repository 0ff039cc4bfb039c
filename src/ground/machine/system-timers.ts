import type { Timers } from '../ports/timers.ts'

/** The timers of this process. They keep it alive. */
export const systemTimers: Timers = {
  later: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
