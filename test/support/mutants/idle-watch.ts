/** Only the process's own pipes are left to wake it: a promise that is pending now stays so. */
const isIdle = (): boolean =>
  process.getActiveResourcesInfo().every((name) => name === 'PipeWrap' || name === 'TTYWrap')

const LOOK_MS = 50
const IDLE_LOOKS = 10

/**
 * As the work, or `idle` where nothing is left that could settle it: a mutant often makes a test in virtual time wait for
 * good, and a limit in seconds for each of these would take most of a run. `late` after so many looks: a process that gets
 * no turn on a busy machine does not look either.
 */
export async function settledOrIdle(work: Promise<void>, lateMs: number): Promise<'settled' | 'idle' | 'late'> {
  const { promise: over, resolve } = Promise.withResolvers<'idle' | 'late'>()
  let looks = 0
  let idleLooks = 0
  const watch = setInterval(() => {
    looks += 1
    idleLooks = isIdle() ? idleLooks + 1 : 0
    if (idleLooks >= IDLE_LOOKS) resolve('idle')
    if (looks * LOOK_MS >= lateMs) resolve('late')
  }, LOOK_MS).unref()
  try {
    return await Promise.race([work.then(() => 'settled' as const), over])
  } finally {
    clearInterval(watch)
  }
}
