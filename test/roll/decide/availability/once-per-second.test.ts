import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oncePerSecond } from '../../../../src/roll/decide/availability/once-per-second.ts'
import { aSample, samplesOf } from './a-sample.ts'

const seconds = (n: number, mark: string): string => mark.repeat(n * 50)

test('an outage of two seconds is counted twice, whatever the phase', () => {
  assert.equal(oncePerSecond(samplesOf(seconds(5, '.') + seconds(2, 'x') + seconds(5, '.'), 20), 20), 2)
})

test('an outage of a fifth of a second is counted in one phase of five', () => {
  assert.equal(oncePerSecond(samplesOf(seconds(5, '.') + 'x'.repeat(10) + seconds(5, '.'), 20), 20), 0.2)
})

test('a check that waits for its answer asks less often while no answer comes', () => {
  const dead = samplesOf(seconds(6, 'x'), 20).map((sample) => ({ ...sample, latencyMs: 2_000 }))
  const after = seconds(4, '.')
    .split('')
    .map((_, i) => aSample({ ms: 6_000 + i * 20 }))
  assert.ok(Math.abs(oncePerSecond([...dead, ...after], 20) - 3) < 0.1)
})

test('what was not measured is neither counted nor caught up with', () => {
  assert.equal(oncePerSecond(samplesOf(seconds(3, '_') + seconds(2, 'x') + seconds(2, '.'), 20), 20), 2)
  assert.equal(
    oncePerSecond(samplesOf(seconds(1, '.') + seconds(3, '_') + seconds(2, 'x') + seconds(2, '.'), 20), 20),
    2,
  )
})

test('samples once a second or rarer are the check itself', () => {
  assert.equal(oncePerSecond(samplesOf('..xx.', 1_000), 1_000), 2)
  assert.equal(oncePerSecond([], 1_000), 0)
})

test('the check sends its first request with the first sample', () => {
  assert.equal(oncePerSecond(samplesOf('x....', 1_000), 1_000), 1)
})

test('the order in which samples are given does not change the count', () => {
  const samples = samplesOf('x.....', 500)
  assert.equal(oncePerSecond(samples, 500), 0.5)
  assert.equal(oncePerSecond(samples.toReversed(), 500), 0.5)
})

test('a check whose answer arrives exactly when a sample is due asks with that sample', () => {
  const dead = samplesOf('xxxxx', 1_000).map((sample) => ({ ...sample, latencyMs: 2_000 }))
  assert.equal(oncePerSecond(dead, 1_000), 3)
})

test('a check does not ask with a skipped sample, but with the next one', () => {
  const [first, ...rest] = samplesOf('x..._x..', 500)
  assert.ok(first)
  assert.equal(oncePerSecond([{ ...first, latencyMs: 2_000 }, ...rest], 500), 1.5)
})
