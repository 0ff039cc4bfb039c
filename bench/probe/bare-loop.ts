/**
 * The prober's loop without anything to ask: what timers and this machine alone cost.
 * `node bare-loop.ts TICKS_PER_SECOND SECONDS` prints how far from its time each tick came, in milliseconds, as JSON.
 */
import process from 'node:process'
import { preferThisProcess } from '../../src/ground/machine/prefer-this-process.ts'
import { systemClock } from '../../src/ground/machine/system-clock.ts'

/** The prober's own reading of "due": half a millisecond early is as exact as half a millisecond late. */
const EARLY_MS = 0.5
const LEAD_MS = 20

preferThisProcess()
const [ticksPerSecond = 0, seconds = 0] = process.argv.slice(2).map(Number)
const never = new AbortController().signal
const startAt = systemClock.monoMs() + LEAD_MS
const dueAt = (n: number): number => startAt + (n * 1_000) / ticksPerSecond
const lateMs: number[] = []
while (lateMs.length < ticksPerSecond * seconds) {
  await systemClock.sleep(Math.max(0, dueAt(lateMs.length) - systemClock.monoMs()), never)
  const tickAt = systemClock.monoMs()
  while (lateMs.length < ticksPerSecond * seconds && dueAt(lateMs.length) <= tickAt + EARLY_MS)
    lateMs.push(Math.abs(systemClock.monoMs() - dueAt(lateMs.length)))
}
process.stdout.write(JSON.stringify(lateMs))
