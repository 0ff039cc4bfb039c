/** The name of the NodeGuard, on each of its pods. */
export const GUARD_LABEL = 'evenkeel.dev/guard'
