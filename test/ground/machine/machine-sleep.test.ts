import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MachineSleep } from '../../../src/ground/machine/machine-sleep.ts'

/** The clocks of a machine that has been up for an hour, and has slept for some of it. */
function aMachine() {
  const at = { monoMs: 3_000_000, uptimeMs: 3_600_000 }
  const asleep = new MachineSleep({ monoMs: () => at.monoMs, uptimeMs: () => Math.floor(at.uptimeMs / 10) * 10 })
  const awakeFor = (ms: number): void => {
    at.monoMs += ms
    at.uptimeMs += ms
  }
  return { at, asleep, awakeFor }
}

test('the time in which a machine slept is known when it wakes, and adds up', () => {
  const { at, asleep, awakeFor } = aMachine()
  awakeFor(5_000)
  at.uptimeMs += 180_000
  assert.equal(asleep.ms(), 180_000)
  awakeFor(60_000)
  at.uptimeMs += 2_000
  assert.equal(asleep.ms(), 182_000)
})

test('a machine that was awake has not slept, however long it is up and however its clocks round', () => {
  const { asleep, awakeFor } = aMachine()
  for (let n = 0; n < 1_000; n += 1) {
    awakeFor(1_003.7)
    assert.equal(asleep.ms(), 0)
  }
})
