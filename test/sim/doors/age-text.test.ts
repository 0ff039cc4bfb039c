import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ageText } from '../../../src/sim/doors/age-text.ts'

test('an age is written as kubectl writes it', () => {
  const rows: readonly (readonly [number, string])[] = [
    [-5, '0s'],
    [119, '119s'],
    [120, '2m'],
    [185, '3m5s'],
    [600, '10m'],
    [10_799, '179m'],
    [10_800, '3h'],
    [11_460, '3h11m'],
    [172_799, '47h'],
    [172_800, '2d'],
    [176_400, '2d1h'],
    [691_200, '8d'],
  ]
  assert.deepEqual(
    rows.map(([seconds]) => ageText(seconds * 1000)),
    rows.map(([, text]) => text),
  )
})
