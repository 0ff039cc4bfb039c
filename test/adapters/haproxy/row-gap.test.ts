import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pickCells } from '../../../src/adapters/haproxy/pick-cells.ts'
import { readAgain } from '../../../src/adapters/haproxy/read-again.ts'
import { gapsOf, readsAs } from '../../../src/adapters/haproxy/row-gap.ts'
import { RowMemo } from '../../../src/adapters/haproxy/row-memo.ts'

const SHAPE = { separator: ',', places: [0, 1, 4, 5, 8] }
/** Few letters, so that lines are often nearly alike. */
const line = fc
  .array(fc.string({ unit: fc.constantFrom('1', '2', '"', ' '), maxLength: 2 }), { minLength: 8, maxLength: 12 })
  .map((cells) => cells.join(','))

test('a line that is said to read as another has the same cells, and as many of them', () => {
  fc.assert(
    fc.property(line, line, (one, other) => {
      if (one === other || !readsAs([one, other], gapsOf(one, SHAPE), ',')) return
      assert.deepEqual(pickCells(other, ',', SHAPE.places), pickCells(one, ',', SHAPE.places))
    }),
    { numRuns: 3_000 },
  )
})

test('seconds that go by between columns that are read change nothing, also where they become longer', () => {
  const gaps = gapsOf('a,b,9,x,c,d,,,e,f', SHAPE)
  assert.equal(readsAs(['a,b,9,x,c,d,,,e,f', 'a,b,10,x,c,d,,,e,f'], gaps, ','), true)
  assert.equal(readsAs(['a,b,9,x,c,d,,,e,f', 'a,b,9,x,c,d,,7,e,f'], gaps, ','), true)
})

test('a column more, a cell that is read, a quote and two places at once are looked at again', () => {
  const known = 'a,b,9,x,c,d,,,e,f'
  const gaps = gapsOf(known, SHAPE)
  for (const next of ['a,b,9,1,x,c,d,,,e,f', 'a,b,9,x,C,d,,,e,f', 'a,b,"9",x,c,d,,,e,f', 'a,b,8,x,c,d,,1,e,f']) {
    assert.equal(readsAs([known, next], gaps, ','), false)
  }
})

test('where a quote hides a separator, no column is taken for one that nobody reads', () => {
  const known = '"a,1",b,9,x,c,d,,,e,f'
  assert.equal(readsAs([known, '"a,1",B,9,x,c,d,,,e,f'], gapsOf(known, SHAPE), ','), false)
})

test('a line that lost a column whole is looked at again', () => {
  const gaps = gapsOf('a,b,9,c', { separator: ',', places: [0, 1, 3] })
  assert.equal(readsAs(['a,b,9,c', 'a,b,8,c'], gaps, ','), true)
  assert.equal(readsAs(['a,b,9,c', 'a,b,c'], gaps, ','), false)
})

const table = fc.array(line, { minLength: 60, maxLength: 80 })
const change = fc.record({ at: fc.nat(80), line, drops: fc.boolean() })

test('a long table that changes here and there is read as by somebody who never saw it before', () => {
  const parser = {
    ...SHAPE,
    cellsOf: (text: string): readonly string[] => pickCells(text, ',', SHAPE.places).cells,
    parse: (cells: readonly string[]): { readonly cells: readonly string[] } => ({ cells }),
  }
  fc.assert(
    fc.property(table, fc.array(change, { maxLength: 6 }), (first, changes) => {
      const memo = new RowMemo<{ readonly cells: readonly string[] }>()
      let lines = first
      for (const { at, line: next, drops } of changes) {
        memo.rows('head', lines.join('\n'), parser)
        lines = drops ? lines.toSpliced(at, 1) : lines.toSpliced(at, 1, next)
        const plain = lines.map((text) => ({ cells: parser.cellsOf(text) }))
        assert.deepEqual(memo.rows('head', lines.join('\n'), parser), plain)
      }
    }),
    { numRuns: 60 },
  )
})

test('a cell that grows is read anew also after a counter before it became shorter', () => {
  const parser = {
    ...SHAPE,
    cellsOf: (text: string): readonly string[] => pickCells(text, ',', SHAPE.places).cells,
    parse: (cells: readonly string[]): { readonly cells: readonly string[] } => ({ cells }),
  }
  const memo = new RowMemo<{ readonly cells: readonly string[] }>()
  const read = (text: string): readonly string[] | undefined => memo.rows('head', text, parser)[0]?.cells
  assert.deepEqual(read('a,b,11,x,c,d,,,5,f'), ['a', 'b', 'c', 'd', '5'])
  assert.deepEqual(read('a,b,10,x,c,d,,,6,f'), ['a', 'b', 'c', 'd', '6'])
  assert.deepEqual(read('a,b,9,x,c,d,,,6,f'), ['a', 'b', 'c', 'd', '6'])
  assert.deepEqual(read('a,b,9,x,c,d,,,16,f'), ['a', 'b', 'c', 'd', '16'])
})

test('a line that goes on where it ended last time is another one, wherever it stands in the table', () => {
  const parser = {
    separator: ',',
    places: [0, 1],
    cellsOf: (text: string): readonly string[] => text.split(','),
    parse: (cells: readonly string[]): { readonly cells: readonly string[] } => ({ cells }),
  }
  const lines = Array.from({ length: 70 }, (_, i) => `s${i},1`)
  for (const [at] of lines.entries()) {
    const memo = new RowMemo<{ readonly cells: readonly string[] }>()
    memo.rows('head', lines.join('\n'), parser)
    const grown = lines.with(at, `s${at},12`)
    assert.deepEqual(
      memo.rows('head', grown.join('\n'), parser),
      grown.map((text) => ({ cells: text.split(',') })),
    )
  }
})

test('lines that stand where they stood are not parted again', () => {
  let parted = 0
  const parser = {
    ...SHAPE,
    cellsOf: (text: string): readonly string[] => {
      parted += 1
      return pickCells(text, ',', SHAPE.places).cells
    },
    parse: (cells: readonly string[]): { readonly cells: readonly string[] } => ({ cells }),
  }
  const lines = Array.from({ length: 100 }, (_, i) => `a,b,${i},x,c,d,,,e,f`)
  const first = readAgain(lines.join('\n'), { text: '', starts: [], known: [] }, parser)
  const second = readAgain(lines.with(40, 'a,B,40,x,c,d,,,e,f').join('\n'), first, parser)
  assert.equal(parted, 101)
  assert.equal(second.known[99], first.known[99])
})
