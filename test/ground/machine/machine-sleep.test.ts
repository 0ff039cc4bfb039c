import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MachineSleep } from '../../../src/ground/machine/machine-sleep.ts'

/** A machine that has been up for an hour, and has slept for some of it. */
function aMachine() {
  const at = { monoMs: 3_000_000, uptimeMs: 3_600_000, wallMs: 1_800_000_000_000 }
  const asleep = new MachineSleep({
    monoMs: () => at.monoMs,
    uptimeMs: () => Math.floor(at.uptimeMs / 10) * 10,
    wallMs: () => at.wallMs,
  })
  const sleepFor = (ms: number): void => {
    at.uptimeMs += ms
    at.wallMs += ms
  }
  const awakeFor = (ms: number): void => {
    at.monoMs += ms
    sleepFor(ms)
  }
  return { at, asleep, awakeFor, sleepFor }
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

test('a sleep is known within a second, though its wall clock was set back by as much', () => {
  const { at, asleep, awakeFor } = aMachine()
  at.uptimeMs += 180_000
  awakeFor(1_000)
  assert.equal(asleep.ms(), 180_000)
})

test('a machine that was awake has not slept, however long it is up, however its clocks round or are set', () => {
  const { at, asleep, awakeFor } = aMachine()
  for (let n = 0; n < 1_000; n += 1) {
    awakeFor(1_003.7)
    at.wallMs += n % 2 === 0 ? 3_600_000 : -3_600_000
    assert.equal(asleep.ms(), 0)
  }
})
