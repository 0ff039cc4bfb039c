import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addTaintPatch,
  askToDetachPatch,
  claimPatch,
  cordonPatch,
  endDetachPatch,
  intentPatch,
  recordPatch,
  removeRecordPatch,
  removeTaintPatch,
  withdrawPatch,
} from '../../../src/roll/run/node-patch.ts'
import { OUT_TAINT } from '../../../src/service/model/node-record.ts'
import { aNode, aRecord } from '../../support/roll-world.ts'

const RECORD = '/metadata/annotations/evenkeel.dev~1record'
const INTENT = '/metadata/annotations/evenkeel.dev~1intent'
const MAINTENANCE = '/metadata/annotations/evenkeel.dev~1maintenance'
const CLAIM = { owner: 'roll/run-1', id: 'b1', at: '2026-01-01T00:00:00.000Z' } as const
const ALICE = { owner: 'person/alice', id: 'disk' } as const
const claims = (...list: readonly object[]): string => JSON.stringify({ version: 2, claims: list })

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

const still = (value: string) => ({ op: 'test', path: MAINTENANCE, value })
const write = (value: string) => ({ op: 'add', path: MAINTENANCE, value })

test('a claim is added where there is none, and the last one that is withdrawn takes the annotation away', () => {
  const alone = claims(CLAIM)
  assert.deepEqual(claimPatch(recorded, CLAIM), [SAME, RECORDED, SAME, UNCHANGED, write(alone)])
  assert.equal(claimPatch(asked(alone), CLAIM), undefined)
  const remove = { op: 'remove', path: MAINTENANCE }
  assert.deepEqual(withdrawPatch(asked(alone), CLAIM.owner), [SAME, RECORDED, still(alone), remove])
  assert.equal(withdrawPatch(recorded, CLAIM.owner), undefined)
})

test('a claim is added beside others and withdrawn alone, under the very words that were read', () => {
  const [others, all] = [claims(ALICE), claims(ALICE, CLAIM)]
  assert.deepEqual(claimPatch(asked(others), CLAIM), [SAME, RECORDED, still(others), write(all)])
  assert.deepEqual(withdrawPatch(asked(all), CLAIM.owner), [SAME, RECORDED, still(all), write(others)])
  assert.equal(withdrawPatch(asked(others), CLAIM.owner), undefined)
})

test('a claim takes the place of the word that withdrew earlier ones', () => {
  assert.deepEqual(claimPatch(asked('withdrawn'), CLAIM), [SAME, RECORDED, still('withdrawn'), write(claims(CLAIM))])
})

test('what cannot be read is neither added to nor withdrawn', () => {
  const message = 'n1 has claims that cannot be read: it is not a JSON object'
  assert.equal(claimPatch(asked('until Monday'), CLAIM), undefined)
  assert.throws(() => withdrawPatch(asked('until Monday'), CLAIM.owner), {
    code: 'NODE_CHANGED',
    message,
    retry: 'now',
  })
})

test('a detacher is asked where no other client asks it, and the very value that was set is taken away again', () => {
  const detach = { key: 'example.com/detach', value: 'evenkeel' }
  const path = '/metadata/annotations/example.com~1detach'
  const asking = (value: string) => aNode('n1', { annotations: { 'evenkeel.dev/record': '{}', [detach.key]: value } })
  const add = { op: 'add', path, value: 'evenkeel' }
  assert.deepEqual(askToDetachPatch(recorded, detach), [SAME, RECORDED, SAME, UNCHANGED, add])
  assert.equal(askToDetachPatch(asking('kured'), detach), undefined)
  const [still, remove] = [
    { op: 'test', path, value: 'evenkeel' },
    { op: 'remove', path },
  ]
  assert.deepEqual(endDetachPatch(asking('evenkeel'), detach), [SAME, RECORDED, still, remove])
  assert.equal(endDetachPatch(recorded, detach), undefined)
  const changed = {
    code: 'NODE_CHANGED',
    message: 'n1 is to be detached for another owner now (example.com/detach)',
    retry: 'now',
  }
  assert.throws(() => endDetachPatch(asking('kured'), detach), changed)
})

test('what a detacher has said to the cordon stays when it is asked, for it may not say it again', () => {
  const annotations = { 'evenkeel.dev/record': '{}', 'example.com/detached-at': '2026-01-01T00:00:01Z' }
  const add = { op: 'add', path: '/metadata/annotations/example.com~1detach', value: 'evenkeel' }
  const patch = askToDetachPatch(aNode('n1', { annotations }), { key: 'example.com/detach', value: 'evenkeel' })
  assert.deepEqual(patch, [SAME, RECORDED, SAME, UNCHANGED, add])
})

test('the intent goes before the record, where there is one', () => {
  const annotations = { 'evenkeel.dev/record': '{}', 'evenkeel.dev/intent': '{}' }
  const removeRecord = { op: 'remove', path: RECORD }
  const removeIntent = { op: 'remove', path: INTENT }
  assert.deepEqual(removeRecordPatch(aNode('n1', { annotations })), [SAME, RECORDED, removeIntent, removeRecord])
  assert.deepEqual(removeRecordPatch(recorded), [SAME, RECORDED, removeRecord])
})
