/** Only the process's own pipes are left to wake it: a promise that is pending now stays so. */
const isIdle = (): boolean =>
  process.getActiveResourcesInfo().every((name) => name === 'PipeWrap' || name === 'TTYWrap')

const LOOK_MS = 50
const IDLE_LOOKS = 10

/**
 * As the work, but rejects where nothing is left that could settle it. A mutant often makes a test in virtual time wait for
 * good, and a limit in seconds for each of these would take most of a run.
 */
export async function settledOrIdle(work: Promise<void>): Promise<'settled' | 'idle'> {
  const { promise: idle, resolve } = Promise.withResolvers<'idle'>()
  let looks = 0
  const watch = setInterval(() => {
    looks = isIdle() ? looks + 1 : 0
    if (looks >= IDLE_LOOKS) resolve('idle')
  }, LOOK_MS).unref()
  try {
    return await Promise.race([work.then(() => 'settled' as const), idle])
  } finally {
    clearInterval(watch)
  }
}
