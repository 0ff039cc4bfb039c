import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFleetNode } from '../../../src/adapters/kube/parse-fleet-node.ts'
import { Untrusted } from '../../../src/model/untrusted.ts'

test('a Node that cannot be read but for its name counts as one that stays and is not Ready', () => {
  const object = { metadata: { name: 'n1', uid: 'u1' }, spec: { unschedulable: 'perhaps' } }
  assert.deepEqual(parseFleetNode(new Untrusted(object, 'node')), {
    name: 'n1',
    uid: 'u1',
    unschedulable: false,
    deleting: false,
    leaves: false,
    ready: false,
    unreadable: true,
  })
})
