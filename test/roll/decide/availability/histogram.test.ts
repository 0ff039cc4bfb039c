import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Histogram, type HistogramJson } from '../../../../src/roll/decide/availability/histogram.ts'

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
      const quantile = filled(values).quantileMs(q)
      assert.ok(quantile >= truth - 0.000_6 && quantile <= truth * (1 + 1 / 64) + 0.002, `${quantile} for ${truth}`)
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

/** The least and the greatest value of a bucket, in microseconds. */
const BUCKETS: readonly (readonly [bucket: number, lowestUs: number, highestUs: number])[] = [
  [0, 0, 0],
  [63, 63, 63],
  [64, 64, 64],
  [127, 127, 127],
  [128, 128, 129],
  [191, 254, 255],
  [192, 256, 259],
  [317, 1_000, 1_007],
  [1_727, 4_261_412_864, 4_294_967_295],
]

for (const [bucket, lowestUs, highestUs] of BUCKETS) {
  test(`bucket ${bucket} of a histogram holds the durations from ${lowestUs} to ${highestUs} µs`, () => {
    assert.deepEqual(filled([lowestUs / 1_000, highestUs / 1_000]).toJSON(), {
      maxMs: highestUs / 1_000,
      buckets: [[bucket, 2]],
    })
    const wide = Histogram.fromJSON({ maxMs: 9_000_000, buckets: [[bucket, 1]] })
    assert.equal(wide.quantileMs(1), highestUs / 1_000)
  })
}

test('the JSON of a histogram lists the buckets that are not empty, in order', () => {
  assert.deepEqual(filled([12, 0.002, 12, 0.001]).toJSON(), {
    maxMs: 12,
    buckets: [
      [1, 1],
      [2, 1],
      [541, 2],
    ],
  })
})

test('quantiles are exact to their bucket, also for the longest durations', () => {
  const histogram = filled([1, 2, 3, 3_000_000, 4_294_967.295])
  assert.deepEqual(
    [0, 0.2, 0.4, 0.6, 0.8, 1].map((q) => histogram.quantileMs(q)),
    [1.007, 1.007, 2.015, 3.007, 3_019_898.879, 4_294_967.295],
  )
})
