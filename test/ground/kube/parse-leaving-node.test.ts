import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNode } from '../../../src/ground/kube/parse-node.ts'
import { Untrusted } from '../../../src/ground/model/untrusted.ts'

const parsed = (metadata: object, conditions: readonly object[] = []) => {
  const object = { metadata: { name: 'n1', uid: 'u1', resourceVersion: '1', ...metadata }, status: { conditions } }
  const { deleting, lifecycle } = parseNode(new Untrusted(object, 'node'))
  return [deleting, lifecycle]
}

test('a Node says that it is being deleted, and by which conditions it leaves', () => {
  assert.deepEqual(parsed({}), [undefined, undefined])
  assert.deepEqual(parsed({ deletionTimestamp: '2026-01-01T00:00:00Z' }), [true, undefined])
  const conditions = [
    { type: 'Drained', status: 'False' },
    { type: 'DrainInProgress', status: 'True' },
    { type: 'DiskPressure', status: 'True' },
  ]
  assert.deepEqual(parsed({}, conditions), [undefined, ['DrainInProgress']])
  assert.deepEqual(parsed({}, [{ type: 'Terminating', status: 'True' }]), [undefined, ['Terminating']])
})
