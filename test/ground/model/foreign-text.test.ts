import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { escapeForeign, shownJson } from '../../../src/ground/model/foreign-text.ts'

test('law: text from outside cannot steer a terminal; what would move the cursor, ring the bell or break the line is escaped', () => {
  assert.equal(escapeForeign('a\x1b[2Jb\x07\r\n'), 'a\\x1b[2Jb\\x07\\x0d\\x0a')
  assert.equal(escapeForeign('\x7f\x9b'), '\\x7f\\x9b')
})

test('law: text from outside cannot steer a terminal; what turns the direction of text is escaped', () => {
  assert.equal(escapeForeign('user\u202etxt.exe\u2066'), 'user\\u202etxt.exe\\u2066')
})

test('leaves words of any language alone', () => {
  assert.equal(escapeForeign('größer 大きい שלום 👍'), 'größer 大きい שלום 👍')
})

test('cuts what is too long, also in the middle of a character', () => {
  assert.equal(escapeForeign('abcdef', 3), 'abc...')
  assert.equal(escapeForeign('ab👍', 3), 'ab\ufffd...')
})

/** By Unicode's own lists: controls, line and paragraph separators, what turns the direction of text, halves of characters. */
const HARM = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}]/u

test('law: text from outside cannot steer a terminal; no control is left, whatever comes', () => {
  for (let unit = 0; unit < 0x10000; unit += 1) {
    assert.doesNotMatch(escapeForeign(`a${String.fromCharCode(unit)}b`), HARM, unit.toString(16))
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      assert.doesNotMatch(escapeForeign(text), HARM)
    }),
  )
})

test('law: text from outside cannot steer a terminal; JSON has no control either, and is the same value', () => {
  const text = Array.from({ length: 0x3000 }, (_, unit) => String.fromCharCode(unit)).join('')
  const shown = shownJson({ [text]: [text] })
  assert.doesNotMatch(shown, HARM)
  assert.deepEqual(JSON.parse(shown), { [text]: [text] })
  assert.equal(shownJson({ a: ['é'] }, null, 2), JSON.stringify({ a: ['é'] }, null, 2))
})
