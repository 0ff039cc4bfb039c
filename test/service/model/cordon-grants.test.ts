import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CordonGrants, formatGrants, parseGrants } from '../../../src/service/model/cordon-grants.ts'

const GRANTS: CordonGrants = { version: 1, granted: ['n1', 'n2'], max: 3, of: 6 }

test('grants are read as they were written', () => {
  assert.deepEqual(parseGrants(formatGrants(GRANTS)), GRANTS)
})

const WRONG: readonly string[] = [
  '',
  'n1',
  '[]',
  '{"version":2,"granted":[],"max":1,"of":2}',
  '{"version":1,"granted":"n1","max":1,"of":2}',
  '{"version":1,"granted":[1],"max":1,"of":2}',
  '{"version":1,"granted":[],"max":-1,"of":2}',
  '{"version":1,"granted":[],"max":1.5,"of":2}',
  '{"version":1,"granted":[],"max":1}',
]

test('what is no list of grants is none', () => {
  assert.deepEqual(
    WRONG.map((text) => parseGrants(text)),
    WRONG.map(() => undefined),
  )
})
