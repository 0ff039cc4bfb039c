import { uptime } from 'node:os'
import process from 'node:process'
import { monoMs, wallMs } from '../model/time.ts'
import type { Clock } from '../ports/clock.ts'
import { MachineSleep } from './machine-sleep.ts'

/** A timer counts no time in which the machine slept: so a longer sleep looks at the clock this often. */
const SLICE_MS = 1_000

const asleep = new MachineSleep({
  monoMs: () => performance.now(),
  uptimeMs: () => uptime() * 1_000,
  wallMs: () => Date.now(),
})

/** With plain timers: those of node:timers/promises build an error with its stack for each aborted sleep. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.reject(signal.reason)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const passedMs = (): number => performance.now() + asleep.ms()
  const until = ms > SLICE_MS ? passedMs() + ms : undefined
  let timer: NodeJS.Timeout | undefined
  const onAbort = (): void => {
    clearTimeout(timer)
    reject(signal.reason)
  }
  const wait = (restMs: number): void => {
    timer = setTimeout(
      () => {
        const leftMs = until === undefined ? 0 : until - passedMs()
        if (leftMs >= 1) return wait(leftMs)
        signal.removeEventListener('abort', onAbort)
        resolve()
      },
      Math.min(restMs, SLICE_MS),
    )
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
  asleepMs: () => asleep.ms(),
  sleep,
}
