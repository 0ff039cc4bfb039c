import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clip, lengthMs, uncovered } from '../../bench/roll/spans.ts'

const at = (from: number, to: number) => ({ from, to })

test('what overlaps is counted once', () => {
  assert.equal(lengthMs([at(0, 10), at(5, 20), at(30, 31)]), 21)
})

test('what lies outside of the time that is looked at is cut off', () => {
  assert.deepEqual(clip([at(0, 10), at(90, 120), at(200, 300)], at(5, 100)), [at(5, 10), at(90, 100)])
})

test('what nothing accounts for is left, at the edges too', () => {
  assert.deepEqual(uncovered([at(10, 20), at(15, 30), at(60, 70)], at(0, 100)), [at(0, 10), at(30, 60), at(70, 100)])
  assert.deepEqual(uncovered([], at(0, 5)), [at(0, 5)])
  assert.deepEqual(uncovered([at(0, 50)], at(10, 20)), [])
})
