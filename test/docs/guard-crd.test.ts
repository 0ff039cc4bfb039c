import assert from 'node:assert/strict'
import { test } from 'node:test'
import { guardSchema } from '../../src/core/guard/schema/guard-schema.ts'
import { silentFields } from '../support/silent-fields.ts'

test('each field of a NodeGuard says what it means, and a field of the spec what holds without it', () => {
  assert.deepEqual(silentFields(guardSchema()), [])
})
