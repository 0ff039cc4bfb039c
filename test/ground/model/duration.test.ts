import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatDuration, formatMinSec, parseDuration } from '../../../src/ground/model/duration.ts'

const READ: readonly (readonly [string, number])[] = [
  ['340ms', 340],
  ['30s', 30_000],
  ['1.5 s', 1_500],
  ['10min', 600_000],
  ['10m', 600_000],
  ['2 h', 7_200_000],
  ['1h30m', 5_400_000],
  ['1 min 30 s', 90_000],
  ['0', 0],
  ['0s', 0],
]

test('reads a duration with its unit', () => {
  for (const [text, ms] of READ) assert.deepEqual(parseDuration(text), { ms }, text)
})

test('refuses a number without a unit and says which units there are', () => {
  assert.deepEqual(parseDuration('30'), { error: '"30" has no unit: write ms, s, min or h' })
})

test('refuses what is no duration', () => {
  for (const text of ['', 'soon', '-3s', '3d', '3s4', '3s 2s', '30s1h', '1e3s', '3 s s', '.5s']) {
    assert.ok('error' in parseDuration(text), text)
  }
  assert.deepEqual(parseDuration('9000h'), { error: '"9000h" is longer than a year' })
})

const WRITTEN: readonly (readonly [number, string])[] = [
  [0, '0 ms'],
  [0.3, '0.3 ms'],
  [340, '340 ms'],
  [999.4, '999 ms'],
  [999.6, '1 s'],
  [4_200, '4.2 s'],
  [9_949, '9.9 s'],
  [9_960, '10 s'],
  [46_000, '46 s'],
  [59_600, '1 min'],
  [730_000, '12 min 10 s'],
  [3_780_000, '1 h 3 min'],
  [3_599_600, '1 h'],
  [-340, '-340 ms'],
]

test('writes a duration for people', () => {
  for (const [ms, text] of WRITTEN) assert.equal(formatDuration(ms), text)
})

test('writes a duration for columns', () => {
  assert.equal(formatMinSec(41_000), '0:41')
  assert.equal(formatMinSec(246_000), '4:06')
  assert.equal(formatMinSec(3_800_000), '1:03:20')
})

test('whatever is written can be read again to within its last digit', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 * 24 * 3_600_000 }), (ms) => {
      const read = parseDuration(formatDuration(ms))
      assert.ok('ms' in read)
      assert.ok(Math.abs(read.ms - ms) <= Math.max(50, ms < 3_600_000 ? 500 : 30_500), `${ms} became ${read.ms}`)
    }),
  )
})
