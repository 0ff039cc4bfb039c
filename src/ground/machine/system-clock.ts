import process from 'node:process'
import { monoMs, wallMs } from '../model/time.ts'
import type { Clock } from '../ports/clock.ts'

/** Node turns a longer timer into one of 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** With plain timers: those of node:timers/promises build an error with its stack for each aborted sleep. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.reject(signal.reason)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let timer: NodeJS.Timeout | undefined
  const onAbort = (): void => {
    clearTimeout(timer)
    reject(signal.reason)
  }
  const wait = (restMs: number): void => {
    const nextMs = Math.min(restMs, LONGEST_TIMER_MS)
    timer = setTimeout(() => {
      if (restMs > nextMs) return wait(restMs - nextMs)
      signal.removeEventListener('abort', onAbort)
      resolve()
    }, nextMs)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  wait(Math.max(0, ms))
  return promise
}

/** The difference between the machine's monotonic clock, which all processes read, and that of this process. */
const MACHINE_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now()

/** The clocks of this machine. A sleep may end up to 1 ms early: Node's timers count whole milliseconds. */
export const systemClock: Clock = {
  monoMs: () => monoMs(MACHINE_MS + performance.now()),
  wallMs: () => wallMs(Date.now()),
  sleep,
}
