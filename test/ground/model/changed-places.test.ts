import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedPlaces } from '../../../src/ground/model/changed-places.ts'

test('two lists differ where their items are not the same, and where only one of them has an item', () => {
  const same = {}
  assert.deepEqual(changedPlaces([same, 1, 2], [same, 1, 2]), [])
  assert.deepEqual(changedPlaces([{}, 1, 2], [{}, 1, 3]), [0, 2])
  assert.deepEqual(changedPlaces([1], [1, 2, 3]), [1, 2])
  assert.deepEqual(changedPlaces([1, 2, 3], [1]), [1, 2])
  assert.deepEqual(changedPlaces([], []), [])
})
