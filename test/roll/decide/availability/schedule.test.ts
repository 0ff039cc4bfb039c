import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dueAtMs, isSkipped, laneSchedules } from '../../../../src/roll/decide/availability/schedule.ts'
import { aTarget } from './a-sample.ts'

test('two lanes interleave, each at its share of the rate', () => {
  const [fresh, kept] = laneSchedules(aTarget(), 0)
  assert.ok(fresh !== undefined && kept !== undefined)
  assert.deepEqual(
    [0, 1, 2].map((n) => dueAtMs(fresh, n)),
    [0, 20, 40],
  )
  assert.deepEqual(
    [0, 1, 2].map((n) => dueAtMs(kept, n)),
    [10, 30, 50],
  )
})

test('a lane without a share has no schedule', () => {
  assert.deepEqual(laneSchedules(aTarget({ keptShare: 0 }), 0), [{ lane: 'new', periodMs: 10, offsetMs: 0 }])
  assert.deepEqual(laneSchedules(aTarget({ keptShare: 1 }), 0), [{ lane: 'kept', periodMs: 10, offsetMs: 5 }])
})

test('a second target asks between the requests of the first', () => {
  assert.deepEqual(
    laneSchedules(aTarget(), 0.25).map((s) => s.offsetMs),
    [5, 15],
  )
})

test('law: samples are due at absolute times, so that no delay adds up; the millionth is due where it was at the start', () => {
  const [third] = laneSchedules(aTarget({ ratePerSecond: 300, keptShare: 0 }), 0)
  assert.ok(third !== undefined)
  assert.ok(Math.abs(dueAtMs(third, 3_000_000) - 10_000_000) < 1e-3)
})

test('a start later than half a period is skipped, but never one within 50 ms', () => {
  const [slow] = laneSchedules(aTarget({ ratePerSecond: 5, keptShare: 0 }), 0)
  const [fast] = laneSchedules(aTarget({ ratePerSecond: 1_000, keptShare: 0 }), 0)
  assert.ok(slow !== undefined && fast !== undefined)
  assert.deepEqual(
    [99, 101].map((ms) => isSkipped(slow, ms)),
    [false, true],
  )
  assert.deepEqual(
    [49.9, 50.1].map((ms) => isSkipped(fast, ms)),
    [false, true],
  )
})

test('a shift past the end of the period wraps around', () => {
  assert.deepEqual(
    laneSchedules(aTarget(), 0.75).map((s) => s.offsetMs),
    [15, 5],
  )
})

test('a request that is exactly half a period late, or exactly 50 ms, is sent', () => {
  const [slow] = laneSchedules(aTarget({ ratePerSecond: 5, keptShare: 0 }), 0)
  const [fast] = laneSchedules(aTarget({ ratePerSecond: 1_000, keptShare: 0 }), 0)
  assert.ok(slow !== undefined && fast !== undefined)
  assert.deepEqual([isSkipped(slow, 100), isSkipped(fast, 50)], [false, false])
})
