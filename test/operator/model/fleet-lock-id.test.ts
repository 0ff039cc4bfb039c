import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idsOfMachine, plainId } from '../../../src/operator/model/fleet-lock-id.ts'

test('a machine asks by its id, or by what Zincati makes of it', () => {
  // The second one is what `systemd-id128 machine-id --app-specific=de35106b6ec24688b63afddaa156679b` prints.
  assert.deepEqual(idsOfMachine('1c09ca98649c4c7abc779cd04c96812e'), [
    '1c09ca98649c4c7abc779cd04c96812e',
    '978a225b3d7b40e9acd7ce9b62f68444',
  ])
})

test('an id may be written as a UUID, and what is no machine id is no id of any machine', () => {
  assert.equal(plainId('1C09CA98-649c-4c7a-bc77-9cd04c96812e'), '1c09ca98649c4c7abc779cd04c96812e')
  for (const text of ['', 'n1', 'dd22', 'g'.repeat(32)]) assert.deepEqual(idsOfMachine(text), [])
})
