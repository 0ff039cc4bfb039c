import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../../src/ground/model/node.ts'
import { markNodePatch, unmarkNodePatch } from '../../../src/roll/run/node-mark-patch.ts'
import type { NodeMark } from '../../../src/service/model/node-mark.ts'
import { aNode } from '../../support/roll-world.ts'

const RECORD = { 'evenkeel.dev/record': '{}' }
const SAME = { op: 'test', path: '/metadata/uid', value: 'uid-n1' }
const RECORDED = { op: 'test', path: '/metadata/annotations/evenkeel.dev~1record', value: '{}' }
const UNCHANGED = { op: 'test', path: '/metadata/resourceVersion', value: '1' }
const TAINT: NodeMark = { kind: 'taint', key: 'out', value: 'evenkeel' }
const LABEL: NodeMark = { kind: 'label', key: 'example.com/out', value: 'evenkeel' }
const NOTE: NodeMark = { kind: 'annotation', key: 'example.com/out', value: 'evenkeel' }
const OURS = { key: 'out', value: 'evenkeel', effect: 'PreferNoSchedule' }
const OTHER = { key: 'dedicated', effect: 'NoSchedule' }

const node = (change: Partial<Node> = {}): Node =>
  aNode('n1', { ...change, annotations: { ...RECORD, ...change.annotations } })

test('a mark is added beside what stands there, under the version that was read', () => {
  const tests = [SAME, RECORDED, SAME, UNCHANGED]
  assert.deepEqual(markNodePatch(node(), TAINT), [...tests, { op: 'add', path: '/spec/taints', value: [OURS] }])
  assert.deepEqual(markNodePatch(node({ taints: [OTHER] }), TAINT), [
    ...tests,
    { op: 'add', path: '/spec/taints/-', value: OURS },
  ])
  const added = { op: 'add', path: '/metadata/labels/example.com~1out', value: 'evenkeel' }
  assert.deepEqual(markNodePatch(node({ labels: { a: 'b' } }), LABEL), [...tests, added])
  const first = { op: 'add', path: '/metadata/labels', value: {} }
  assert.deepEqual(markNodePatch(node(), LABEL), [...tests, first, added])
  assert.deepEqual(markNodePatch(node(), NOTE)?.at(-1), {
    op: 'add',
    path: '/metadata/annotations/example.com~1out',
    value: 'evenkeel',
  })
})

test('a mark that is there already, set by this run or by another client, is not set again', () => {
  const theirs = { ...OURS, value: '1700000000' }
  assert.equal(markNodePatch(node({ taints: [OURS] }), TAINT), undefined)
  assert.equal(markNodePatch(node({ taints: [theirs] }), TAINT), undefined)
  assert.equal(markNodePatch(node({ labels: { 'example.com/out': '' } }), LABEL), undefined)
})

test('a mark is taken off where it is ours, and nothing beside it', () => {
  assert.deepEqual(unmarkNodePatch(node({ taints: [OTHER, OURS] }), TAINT), [
    SAME,
    RECORDED,
    SAME,
    UNCHANGED,
    { op: 'remove', path: '/spec/taints/1' },
  ])
  const path = '/metadata/labels/example.com~1out'
  assert.deepEqual(unmarkNodePatch(node({ labels: { 'example.com/out': 'evenkeel' } }), LABEL), [
    SAME,
    RECORDED,
    { op: 'test', path, value: 'evenkeel' },
    { op: 'remove', path },
  ])
  for (const mark of [TAINT, LABEL, NOTE]) assert.equal(unmarkNodePatch(node(), mark), undefined)
})

test('a mark of others is never taken off', () => {
  const changed = { code: 'NODE_CHANGED', message: /bears the .* of another owner now/ }
  for (const taints of [
    [{ ...OURS, value: '1' }],
    [{ ...OURS, effect: 'NoSchedule' }],
    [OURS, { ...OURS, effect: 'NoSchedule' }],
  ])
    assert.throws(() => unmarkNodePatch(node({ taints }), TAINT), changed)
  assert.throws(() => unmarkNodePatch(node({ labels: { 'example.com/out': '' } }), LABEL), changed)
  assert.throws(() => unmarkNodePatch(node({ annotations: { 'example.com/out': 'x' } }), NOTE), changed)
})

test('no mark is written to a node without the record of the roll', () => {
  const bug = { name: 'InvariantError', message: 'no write to n1 without a record' }
  assert.throws(() => markNodePatch(aNode('n1'), TAINT), bug)
  assert.throws(() => unmarkNodePatch(aNode('n1', { taints: [OURS] }), TAINT), bug)
})
