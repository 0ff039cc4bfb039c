import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNodeReading } from '../../../src/agent/io/parse-node-reading.ts'
import { Untrusted } from '../../../src/ground/model/untrusted.ts'

const METADATA = { name: 'n1', uid: 'u1', resourceVersion: '5' }

test('of taints and conditions an agent is told those that announce that the node leaves', () => {
  const object = {
    metadata: { ...METADATA, labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': 'false' } },
    spec: {
      taints: [
        { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
        { key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule', value: '1' },
      ],
    },
    status: {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'DrainInProgress', status: 'True' },
        { type: 'Drained', status: 'False' },
      ],
    },
  }
  assert.deepEqual(parseNodeReading(new Untrusted(object, 'node')), {
    uid: 'u1',
    resourceVersion: '5',
    unschedulable: false,
    deleting: false,
    lifecycle: ['DrainInProgress'],
    removal: ['ToBeDeletedByClusterAutoscaler'],
    excluded: true,
  })
})

test('a node that nothing is announced of bears nothing that speaks against it', () => {
  const object = {
    metadata: METADATA,
    spec: { taints: [{ key: 'dedicated', effect: 'NoSchedule' }] },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  }
  const { lifecycle, removal, excluded } = parseNodeReading(new Untrusted(object, 'node'))
  assert.deepEqual([lifecycle, removal, excluded], [[], [], false])
})
