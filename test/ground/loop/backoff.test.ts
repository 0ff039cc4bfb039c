import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Backoff } from '../../../src/ground/loop/backoff.ts'

/** A die that always falls on the same side. */
const always = (value: number) => ({ next: () => value, hex: () => '' })

test('the ceiling doubles with each failure up to the cap', () => {
  const backoff = new Backoff({ baseMs: 100, capMs: 1_000 }, always(1))
  assert.deepEqual(
    Array.from({ length: 6 }, () => backoff.nextMs()),
    [100, 200, 400, 800, 1_000, 1_000],
  )
})

test('the smallest draw still waits a quarter of the base', () => {
  const backoff = new Backoff({ baseMs: 100, capMs: 1_000 }, always(0))
  assert.deepEqual([backoff.nextMs(), backoff.nextMs(), backoff.nextMs()], [25, 25, 25])
})

test('a success starts it small again', () => {
  const backoff = new Backoff({ baseMs: 100, capMs: 1_000 }, always(1))
  backoff.nextMs()
  backoff.nextMs()
  backoff.reset()
  assert.equal(backoff.nextMs(), 100)
})

test('law: no retry is immediate, and Retry-After is honoured; it is waited in full, with jitter on top and not below', () => {
  assert.equal(new Backoff({ baseMs: 100, capMs: 1_000 }, always(0)).nextMs(5_000), 5_000)
  assert.equal(new Backoff({ baseMs: 100, capMs: 1_000 }, always(0.5)).nextMs(5_000), 5_050)
})

test('a Retry-After that is broken or meant to stop us for ever is bounded', () => {
  const backoff = new Backoff({ baseMs: 100, capMs: 1_000 }, always(0))
  assert.equal(backoff.nextMs(0), 25)
  assert.equal(backoff.nextMs(-5), 25)
  assert.equal(backoff.nextMs(Number.NaN), 25)
  assert.equal(backoff.nextMs(Number.POSITIVE_INFINITY), 120_000)
})

test('limits that allow a pause of nothing, or a cap below the base, are a bug', () => {
  const bug = { name: 'InvariantError', message: 'a back-off needs 0 < base <= cap' }
  assert.throws(() => new Backoff({ baseMs: 0, capMs: 1_000 }, always(0)), bug)
  assert.throws(() => new Backoff({ baseMs: 100, capMs: 99 }, always(0)), bug)
  assert.equal(new Backoff({ baseMs: 100, capMs: 100 }, always(1)).nextMs(), 100)
})

/** Dice as they fall, the lowest and the highest draw among them more often than by chance. */
const draws = fc.oneof(
  fc.constant(0),
  fc.constant(1 - 2 ** -32),
  fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
)

test('law: no retry is immediate, and Retry-After is honoured; no delay is zero, below what was asked for, or beyond every limit', () => {
  fc.assert(
    fc.property(
      draws,
      fc.integer({ min: 1, max: 10_000 }),
      fc.integer({ min: 1, max: 100 }),
      fc.array(fc.option(fc.double(), { nil: undefined }), { maxLength: 80 }),
      (draw, baseMs, factor, asked) => {
        const backoff = new Backoff({ baseMs, capMs: baseMs * factor }, always(draw))
        for (const retryAfterMs of asked) {
          const delayMs = backoff.nextMs(retryAfterMs)
          assert.ok(delayMs >= baseMs / 4 && delayMs <= Math.max(baseMs * factor, 120_000 + baseMs))
          if (retryAfterMs !== undefined && retryAfterMs <= 120_000) assert.ok(delayMs >= retryAfterMs)
        }
      },
    ),
    { numRuns: 200 },
  )
})
