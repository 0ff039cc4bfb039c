import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runWithin } from '../../../src/ground/machine/run-within.ts'

test('what ends in time gives its value, and what it throws is thrown', () => {
  assert.deepEqual(
    runWithin(1_000, () => 7),
    { kind: 'done', value: 7 },
  )
  const error = new RangeError('mine')
  assert.throws(
    () =>
      runWithin(1_000, () => {
        throw error
      }),
    (thrown) => thrown === error,
  )
})

test('a loop and a regular expression without end are ended, from within another run as well', () => {
  const forever = (): never => {
    for (;;);
  }
  assert.deepEqual(runWithin(20, forever), { kind: 'too long' })
  assert.deepEqual(
    runWithin(20, () => /^(a+)+$/.test(`${'a'.repeat(50)}b`)),
    { kind: 'too long' },
  )
  const nested = runWithin(10_000, () => [runWithin(20, forever), 1])
  assert.deepEqual(nested, { kind: 'done', value: [{ kind: 'too long' }, 1] })
})
