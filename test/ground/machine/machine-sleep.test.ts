import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MachineSleep } from '../../../src/ground/machine/machine-sleep.ts'

/** A machine that has been up for an hour, and has slept for some of it. */
function aMachine() {
  const at = { monoMs: 3_000_000, uptimeMs: 3_600_000, wallMs: 1_800_000_000_000 }
  const sleeps = { beforeMs: 0, afterMs: 0 }
  const sleepFor = (ms: number): void => {
    at.uptimeMs += ms
    at.wallMs += ms
  }
  const asleep = new MachineSleep({
    monoMs: () => at.monoMs,
    uptimeMs: () => {
      sleepFor(sleeps.beforeMs)
      const uptimeMs = Math.floor(at.uptimeMs / 10) * 10
      sleepFor(sleeps.afterMs)
      return uptimeMs
    },
    wallMs: () => at.wallMs,
  })
  const awakeFor = (ms: number): void => {
    at.monoMs += ms
    sleepFor(ms)
  }
  return { at, asleep, awakeFor, sleepFor, sleeps }
}

test('the time in which a machine slept is known as soon as it wakes, and adds up', () => {
  const { asleep, awakeFor, sleepFor } = aMachine()
  awakeFor(5_000)
  assert.equal(asleep.ms(), 0)
  sleepFor(180_000)
  assert.equal(asleep.ms(), 180_000)
  awakeFor(60_000)
  sleepFor(2_000)
  assert.equal(asleep.ms(), 182_000)
})

test('a sleep counts in full, though the wall clock was set back before, or the machine is asked for the first time in hours', () => {
  const { at, asleep, awakeFor, sleepFor } = aMachine()
  awakeFor(5_000)
  at.wallMs -= 3_600_000
  assert.equal(asleep.ms(), 0)
  awakeFor(10)
  sleepFor(180_000)
  assert.equal(asleep.ms(), 180_000)
  awakeFor(9_000_000)
  sleepFor(60_000)
  awakeFor(9_000_000)
  assert.equal(asleep.ms(), 240_000)
})

test('a sleep between two looks at the clocks is counted, at the next look at the latest', () => {
  for (const during of [
    { beforeMs: 180_000, afterMs: 0 },
    { beforeMs: 0, afterMs: 180_000 },
  ]) {
    const { asleep, awakeFor, sleeps } = aMachine()
    awakeFor(5_000)
    Object.assign(sleeps, during)
    asleep.ms()
    Object.assign(sleeps, { beforeMs: 0, afterMs: 0 })
    awakeFor(10)
    assert.equal(asleep.ms(), 180_000)
  }
})

test('a time since boot that becomes that of the host, and that of the container again, is no sleep, and hides none', () => {
  const { at, asleep, awakeFor, sleepFor } = aMachine()
  const slept: number[] = []
  for (const leapMs of [30 * 86_400_000, -30 * 86_400_000]) {
    awakeFor(5_000)
    at.uptimeMs += leapMs
    awakeFor(1_000)
    slept.push(asleep.ms())
    awakeFor(1_000)
    at.wallMs += 3_600_000
    slept.push(asleep.ms())
    awakeFor(1_000)
    sleepFor(180_000)
    slept.push(asleep.ms())
  }
  assert.deepEqual(slept, [0, 0, 180_000, 180_000, 180_000, 360_000])
})

test('a machine that was awake has not slept, however long it is up, however its clocks round or are set', () => {
  const { at, asleep, awakeFor } = aMachine()
  for (let n = 0; n < 1_000; n += 1) {
    awakeFor(1_003.7)
    at.wallMs += n % 2 === 0 ? 3_600_000 : -3_600_000
    assert.equal(asleep.ms(), 0)
  }
})
