import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cellWidth, sliceCells } from '../../../src/ground/text/cell-width.ts'

const WIDTHS: readonly (readonly [string, number])[] = [
  ['', 0],
  ['w-1', 3],
  ['é', 1],
  ['e\u0301', 1],
  ['漢字', 4],
  ['ｱ', 1],
  ['Ａ', 2],
  ['👍', 2],
  ['👨‍👩‍👧', 2],
  ['…', 1],
  ['\u200b', 0],
]

test('text is measured in cells of a terminal', () => {
  for (const [text, cells] of WIDTHS) assert.equal(cellWidth(text), cells, JSON.stringify(text))
})

test('a cut never splits what people see as one character', () => {
  assert.equal(sliceCells('漢字', 3), '漢')
  assert.equal(sliceCells('a👨‍👩‍👧b', 2), 'a')
  assert.equal(sliceCells('abc', 2), 'ab')
  assert.equal(sliceCells('abc', -1), '')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, cells) => {
      const cut = sliceCells(text, cells)
      assert.ok(text.startsWith(cut))
      assert.ok(cellWidth(cut) <= cells)
    }),
  )
})
