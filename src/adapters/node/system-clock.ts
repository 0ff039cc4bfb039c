import process from 'node:process'
import { setTimeout as timeout } from 'node:timers/promises'
import { monoMs, wallMs } from '../../model/time.ts'
import type { Clock } from '../../ports/clock.ts'

/** A timer of Node wraps to 1 ms above this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  for (let restMs = ms; ; restMs -= LONGEST_TIMER_MS) {
    try {
      await timeout(Math.max(0, Math.min(restMs, LONGEST_TIMER_MS)), undefined, { signal })
    } catch (error) {
      // Node wraps the reason in an AbortError; callers are promised the reason itself.
      throw signal.aborted ? signal.reason : error
    }
    if (restMs <= LONGEST_TIMER_MS) return
  }
}

/** Between the machine's monotonic clock, which all its processes read, and that of this process. */
const MACHINE_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now()

/** The clocks of this machine. A sleep may end up to 1 ms early: Node's timers count whole milliseconds. */
export const systemClock: Clock = {
  monoMs: () => monoMs(MACHINE_MS + performance.now()),
  wallMs: () => wallMs(Date.now()),
  sleep,
}
