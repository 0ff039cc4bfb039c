import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFleetNode } from '../../../src/agent/io/parse-fleet-node.ts'
import { Untrusted } from '../../../src/ground/model/untrusted.ts'

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

test('a Node with the record of a roll is distinguished from one without', () => {
  const metadata = { name: 'n1', uid: 'u1', resourceVersion: '1' }
  const annotations = { 'evenkeel.dev/record': '{}' }
  const recorded = parseFleetNode(new Untrusted({ metadata: { ...metadata, annotations } }, 'node'))
  assert.deepEqual([recorded.recorded, parseFleetNode(new Untrusted({ metadata }, 'node')).recorded], [true, undefined])
})
