import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MarkedLines } from '../../../src/ground/machine/marked-lines.ts'

function heard(text: string | Buffer): MarkedLines {
  const lines = new MarkedLines('mark1')
  lines.take(Buffer.from(text))
  return lines
}

test('a line is ours by its mark, whole and at its beginning', () => {
  const lines = heard('mark1 boot a b\n mark1 x 1\nmark12 y 1\nno mark1 z 1\nmark1\nmark1 may\n')
  assert.equal(lines.said('boot'), 'a b')
  assert.equal(lines.said('may'), '')
  assert.deepEqual(
    ['x', 'y', 'z'].map((word) => lines.has(word)),
    [false, false, false],
  )
})

test('a line counts once it is ended, and the first of its kind', () => {
  assert.equal(heard('mark1 sent').has('sent'), false)
  assert.equal(heard('mark1 boot one\nmark1 boot two\n').said('boot'), 'one')
  assert.equal(heard('mark1 boot one\r\n').said('boot'), 'one')
})

test('what it says is escaped and short', () => {
  assert.equal(heard('mark1 refused \x1b[2Jno\x07\n').said('refused'), '\\x1b[2Jno\\x07')
  assert.equal(heard(`mark1 refused ${'x'.repeat(1_000)}\n`).said('refused'), `${'x'.repeat(300)}...`)
})

test('a line without end is dropped, and what follows it is heard', () => {
  const lines = heard(`mark1 boot ${'x'.repeat(5_000_000)}`)
  lines.take(Buffer.from(`${'x'.repeat(5_000_000)}\nmark1 may\n`))
  assert.equal(lines.has('boot'), false)
  assert.equal(lines.has('may'), true)
})

test('however it is cut into pieces, and whatever comes between, the same is heard', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.array(fc.nat(50)), (noise, cuts) => {
      const text = Buffer.concat([Buffer.from(noise), Buffer.from('\nmark1 boot ä→\n'), Buffer.from(noise)])
      const lines = new MarkedLines('mark1')
      let from = 0
      for (const length of cuts) {
        lines.take(text.subarray(from, from + length))
        from = Math.min(text.length, from + length)
      }
      lines.take(text.subarray(from))
      assert.equal(lines.said('boot'), 'ä→')
    }),
  )
})
