import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cellWidth } from '../../../src/ground/text/cell-width.ts'
import { countOf, countText } from '../../../src/ground/text/count-text.ts'
import { boundsText, preciseTimeText, timeText } from '../../../src/ground/text/time-text.ts'
import { wrapWords } from '../../../src/ground/text/wrap-words.ts'

test('counts have commas and their noun its number', () => {
  assert.deepEqual([0, 7, 999, 1_000, 24_600, 1_234_567].map(countText), [
    '0',
    '7',
    '999',
    '1,000',
    '24,600',
    '1,234,567',
  ])
  assert.deepEqual(
    [0, 1, 2].map((count) => countOf(count, 'pod')),
    ['no pods', '1 pod', '2 pods'],
  )
})

test('times are UTC and say so; bounds name both ends', () => {
  const at = Date.parse('2026-11-21T06:30:58.203Z')
  assert.equal(timeText(at), '06:30:58Z')
  assert.equal(preciseTimeText(at), '06:30:58.20Z')
  assert.equal(boundsText(300, 340), '300 to 340 ms')
  assert.equal(boundsText(900, 1_840), '0.90 to 1.84 s')
  assert.equal(boundsText(61_000, 125_000), '1 min 1 s to 2 min 5 s')
  assert.equal(boundsText(1_500, undefined), '1.50 s or more')
})

test('wrapped lines hold every word, in order, and none is too wide', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 2, max: 60 }), (text, cells) => {
      const lines = wrapWords(text, cells)
      assert.equal(lines.join('').replaceAll(' ', ''), text.replaceAll(' ', ''))
      for (const line of lines) assert.ok(cellWidth(line) <= cells, JSON.stringify(line))
    }),
  )
})
