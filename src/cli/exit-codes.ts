/** Wrong usage or input, nothing was touched. Other codes: 0 done and nothing failed, 3 held at a limit. */
export const EXIT_USAGE = 2
/** Failed, stopped or aborted; or a bug. */
export const EXIT_FAILED = 1
export const EXIT_INTERRUPTED = 130
