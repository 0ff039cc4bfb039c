/**
 * Environment of programs in Go: their garbage is collected a fourth as often (package runtime, "GOGC"). Beds are short of
 * processors and not of memory; an API server needs a fifth less time for its start.
 */
export const LAZY_COLLECTOR = { GOGC: '400' }
