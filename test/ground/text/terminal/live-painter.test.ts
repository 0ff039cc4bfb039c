import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LivePainter, paintedLine } from '../../../../src/ground/text/terminal/live-painter.ts'
import { Screen } from './screen.ts'

const live = (...lines: readonly string[]) => lines.map(paintedLine)

test('what is finished stays above what is drawn anew', () => {
  const screen = new Screen()
  const painter = new LivePainter(screen)
  painter.draw(['first'], live('a 1', 'b 1'))
  painter.draw([], live('a 2', 'b 2', 'c 2'))
  painter.draw(['second'], live('a 3'))
  assert.equal(screen.text, 'first\nsecond\na 3')
  painter.close(['end'])
  assert.equal(screen.text, 'first\nsecond\nend')
})

test('a frame is one write, shown whole', () => {
  const screen = new Screen()
  const painter = new LivePainter(screen)
  painter.draw(['x'], live('a'))
  painter.draw(['y'], live('b'))
  assert.equal(screen.writes.length, 2)
  for (const write of screen.writes) assert.match(write, /^\x1b\[\?2026h[\s\S]*\x1b\[\?2026l$/)
})

test('the cursor comes back on every way out, and only once', () => {
  const screen = new Screen()
  const painter = new LivePainter(screen)
  painter.draw([], live('a'))
  assert.equal(screen.cursorShown, false)
  painter.restoreCursor()
  assert.equal(screen.cursorShown, true)
  painter.draw([], live('b'))
  painter.close()
  assert.equal(screen.cursorShown, true)
  assert.equal(screen.text, '')
  const before = screen.writes.length
  painter.close()
  painter.restoreCursor()
  assert.equal(screen.writes.length, before)
})

test('a terminal that was never drawn on is left alone', () => {
  const screen = new Screen()
  const painter = new LivePainter(screen)
  painter.close()
  painter.restoreCursor()
  assert.deepEqual(screen.writes, [])
})

test('a wider terminal is drawn over; after a narrower one no line of the log is eaten', () => {
  const screen = new Screen(40, 24)
  const painter = new LivePainter(screen)
  painter.draw(['log'], live('a'.repeat(39)))
  screen.resize(80, 24)
  painter.draw([], live('b'.repeat(60)))
  assert.equal(screen.text, `log\n${'b'.repeat(60)}`)
  screen.resize(30, 24)
  painter.draw([], live('c'.repeat(29)))
  assert.equal(screen.text, `log\n${'b'.repeat(60)}\n${'c'.repeat(29)}`)
  painter.draw([], live('d'))
  assert.equal(screen.text, `log\n${'b'.repeat(60)}\nd`)
})

test('colours take no cells', () => {
  assert.equal(paintedLine('\x1b[31mSTOPPED\x1b[0m  w-1').cells, 12)
})
