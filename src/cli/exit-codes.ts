/** Wrong usage or input, nothing was changed. 0: done and nothing failed. */
export const EXIT_USAGE = 2
/** Failed or stopped; or a bug. */
export const EXIT_FAILED = 1
/** Held at a limit; or a plan found that something would block the roll, and nothing was changed. */
export const EXIT_HELD = 3
export const EXIT_INTERRUPTED = 130
