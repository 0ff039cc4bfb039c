import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Histogram, type HistogramJson } from '../../../src/core/availability/histogram.ts'

const filled = (values: readonly number[]): Histogram => {
  const histogram = new Histogram()
  for (const value of values) histogram.record(value)
  return histogram
}

const durations = fc.array(fc.double({ min: 0, max: 120_000, noNaN: true }), { minLength: 1, maxLength: 300 })

test('a quantile is never below the true one and above it by 1/64 at most', () => {
  fc.assert(
    fc.property(durations, fc.constantFrom(0, 0.5, 0.9, 0.99, 1), (values, q) => {
      const sorted = values.toSorted((a, b) => a - b)
      const truth = sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? 0
      const told = filled(values).quantileMs(q)
      assert.ok(told >= truth - 0.000_6 && told <= truth * (1 + 1 / 64) + 0.002, `${told} for ${truth}`)
    }),
  )
})

test('the greatest value is kept to the microsecond', () => {
  assert.equal(filled([3, 12.345, 7]).maxMs, 12.345)
})

test('two halves merged say what the whole says', () => {
  fc.assert(
    fc.property(durations, durations, (a, b) => {
      const merged = filled(a)
      merged.merge(filled(b))
      assert.deepEqual(merged.toJSON(), filled([...a, ...b]).toJSON())
      assert.equal(merged.count, a.length + b.length)
    }),
  )
})

test('it comes back from JSON as it was', () => {
  fc.assert(
    fc.property(durations, (values) => {
      const json = JSON.parse(JSON.stringify(filled(values))) as HistogramJson
      assert.deepEqual(Histogram.fromJSON(json).toJSON(), filled(values).toJSON())
    }),
  )
})

test('nothing recorded is zero, and what is out of range is clamped', () => {
  assert.equal(new Histogram().quantileMs(0.99), 0)
  assert.equal(filled([-5]).maxMs, 0)
  assert.equal(filled([10_000_000]).maxMs, 4_294_967.295)
})
