import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatOwed, parseOwed } from '../../../src/agent/decide/owed-file.ts'

test('the owed addresses are read as they were written, in one order', () => {
  assert.deepEqual(parseOwed(formatOwed(['10.0.0.9', '10.0.0.5'])), ['10.0.0.5', '10.0.0.9'])
  assert.equal(formatOwed(['b', 'a']), formatOwed(['a', 'b']))
})

const SENSELESS: readonly string[] = [
  '',
  '{"version":1,"addresses":["10.0.0.5"',
  '{"version":2,"addresses":[]}',
  '{"version":1}',
  '{"version":1,"addresses":"10.0.0.5"}',
  '{"version":1,"addresses":[5]}',
  '{"version":1,"addresses":[[]]}',
  '{"version":1,"addresses":["10.0.0.5",5]}',
  `{"version":1,"addresses":["${'a'.repeat(65)}"]}`,
]
test('what is no list of addresses is none', () => {
  assert.deepEqual(
    SENSELESS.map((text) => parseOwed(text)),
    SENSELESS.map(() => undefined),
  )
})

test('an address has 64 characters at most', () => {
  assert.deepEqual(parseOwed(`{"version":1,"addresses":["${'a'.repeat(64)}"]}`), ['a'.repeat(64)])
})
