import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fewerThan, highestShare, shareText } from '../../../../src/roll/decide/availability/confidence.ts'

test('no failure in n requests bounds the share by 3/n', () => {
  assert.equal(highestShare(187_200), 3 / 187_200)
  assert.equal(highestShare(2), 1)
  assert.equal(highestShare(0), 1)
})

test('a measured zero stands with its bound', () => {
  assert.equal(fewerThan(187_200), '0.0016 %')
  assert.equal(shareText(0, 6_150), '<0.049 %')
  assert.equal(shareText(0, 24_200), '<0.013 %')
  assert.equal(shareText(0, 1), '<100 %')
})

test('a share has two digits that matter', () => {
  assert.equal(shareText(17, 6_150), '0.28 %')
  assert.equal(shareText(17, 12_300), '0.14 %')
  assert.equal(shareText(179, 31_200), '0.57 %')
  assert.equal(shareText(1, 2), '50 %')
  assert.equal(shareText(10, 10), '100 %')
  assert.equal(shareText(9_999, 10_000), '>99 %')
  assert.equal(shareText(1, 1_000_000), '0.00010 %')
  assert.equal(shareText(0, 0), '-')
})

test('the printed bound is never lower than the true one by more than half a percent of it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 3, max: 1_000_000_000 }), (n) => {
      assert.ok(Number.parseFloat(fewerThan(n)) >= (300 / n) * 0.995 - 1e-15)
    }),
  )
})
