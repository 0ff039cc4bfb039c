import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addTaintPatch,
  askToLeavePatch,
  cordonPatch,
  endMaintenancePatch,
  intentPatch,
  recordPatch,
  removeRecordPatch,
  removeTaintPatch,
} from '../../../src/controllers/roll/node-patch.ts'
import { OUT_TAINT } from '../../../src/model/node-record.ts'
import { aNode, aRecord } from '../../support/roll-world.ts'

const RECORD = '/metadata/annotations/evenkeel.dev~1record'
const INTENT = '/metadata/annotations/evenkeel.dev~1intent'
const MAINTENANCE = '/metadata/annotations/evenkeel.dev~1maintenance'
const REQUEST = { version: 1, id: 'b1', run: 'run-1', at: '2026-01-01T00:00:00.000Z' } as const
const ASKED = JSON.stringify(REQUEST)

const SAME = { op: 'test', path: '/metadata/uid', value: 'uid-n1' }
const UNCHANGED = { op: 'test', path: '/metadata/resourceVersion', value: '1' }
const RECORDED = { op: 'test', path: RECORD, value: '{}' }

const bare = aNode('n1')
const recorded = aNode('n1', { annotations: { 'evenkeel.dev/record': '{}' } })
const asked = (text: string) =>
  aNode('n1', { annotations: { 'evenkeel.dev/record': '{}', 'evenkeel.dev/maintenance': text } })

test('the record is added under the version that was read, and annotations only where there are none', () => {
  const record = aRecord()
  const add = { op: 'add', path: RECORD, value: JSON.stringify(record) }
  const first = { op: 'add', path: '/metadata/annotations', value: {} }
  assert.deepEqual(recordPatch(bare, record), [SAME, UNCHANGED, first, add])
  assert.deepEqual(recordPatch(aNode('n1', { annotations: { team: 'ops' } }), record), [SAME, UNCHANGED, add])
})

test('a reboot is announced beside the record, under the version that was read', () => {
  const intent = { version: 1, bootId: 'boot-1', run: 'run-1', at: '2026-01-01T00:00:00.000Z' } as const
  const add = { op: 'add', path: INTENT, value: JSON.stringify(intent) }
  assert.deepEqual(intentPatch(recorded, intent), [SAME, RECORDED, UNCHANGED, add])
})

test('a cordon goes by the record alone, whatever else was written to the node', () => {
  for (const value of [true, false]) {
    const write = { op: 'add', path: '/spec/unschedulable', value }
    assert.deepEqual(cordonPatch(recorded, value), [SAME, RECORDED, write])
  }
})

test('no patch that goes by the record is made for a node without one', () => {
  const bug = { name: 'InvariantError', message: 'no write to n1 without a record' }
  assert.throws(() => cordonPatch(bare, true), bug)
  assert.throws(() => removeRecordPatch(bare), bug)
})

test('a taint is the first of its node, or is put after the others', () => {
  const theirs = { key: 'gpu', effect: 'NoSchedule' } as const
  const first = { op: 'add', path: '/spec/taints', value: [OUT_TAINT] }
  const next = { op: 'add', path: '/spec/taints/-', value: OUT_TAINT }
  assert.deepEqual(addTaintPatch(bare, OUT_TAINT), [SAME, UNCHANGED, first])
  assert.deepEqual(addTaintPatch(aNode('n1', { taints: [theirs] }), OUT_TAINT), [SAME, UNCHANGED, next])
})

test('of taints with the same key the one with our effect is removed', () => {
  const evicts = { key: OUT_TAINT.key, effect: 'NoExecute' } as const
  const remove = { op: 'remove', path: '/spec/taints/1' }
  assert.deepEqual(removeTaintPatch(aNode('n1', { taints: [evicts, OUT_TAINT] }), OUT_TAINT), [SAME, UNCHANGED, remove])
  assert.equal(removeTaintPatch(aNode('n1', { taints: [evicts] }), OUT_TAINT), undefined)
})

test('a request to leave is added where there is none, and its end removes the very request', () => {
  const add = { op: 'add', path: MAINTENANCE, value: ASKED }
  assert.deepEqual(askToLeavePatch(recorded, REQUEST), [SAME, RECORDED, SAME, UNCHANGED, add])
  assert.equal(askToLeavePatch(asked(ASKED), REQUEST), undefined)
  const [still, remove] = [
    { op: 'test', path: MAINTENANCE, value: ASKED },
    { op: 'remove', path: MAINTENANCE },
  ]
  assert.deepEqual(endMaintenancePatch(asked(ASKED), 'run-1'), [SAME, RECORDED, still, remove])
  assert.equal(endMaintenancePatch(recorded, 'run-1'), undefined)
})

test('a request of another run, or one that cannot be read, is not ended', () => {
  const changed = { code: 'NODE_CHANGED', message: 'n1 is asked to leave by somebody else now', retry: 'now' }
  assert.throws(() => endMaintenancePatch(asked(ASKED), 'run-2'), changed)
  assert.throws(() => endMaintenancePatch(asked('until Monday'), 'run-1'), changed)
})

test('the intent goes before the record, where there is one', () => {
  const annotations = { 'evenkeel.dev/record': '{}', 'evenkeel.dev/intent': '{}' }
  const removeRecord = { op: 'remove', path: RECORD }
  const removeIntent = { op: 'remove', path: INTENT }
  assert.deepEqual(removeRecordPatch(aNode('n1', { annotations })), [SAME, RECORDED, removeIntent, removeRecord])
  assert.deepEqual(removeRecordPatch(recorded), [SAME, RECORDED, removeRecord])
})
