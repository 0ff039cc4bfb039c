import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rollFileOf } from '../../../src/operator/model/roll-object.ts'

test('a field on that kubectl has read as the word true is the field on, and nothing else is changed', () => {
  const receiver = { name: 'chat', slack: { webhook: { env: 'SLACK' } } }
  assert.deepEqual(rollFileOf({ soak: '1s', notify: [{ ...receiver, true: ['done'] }] }), {
    soak: '1s',
    notify: [{ ...receiver, on: ['done'] }],
  })
  const both = { ...receiver, on: ['done'], true: ['held'] }
  for (const notify of [[receiver], [both], ['chat'], 'chat', null])
    assert.deepEqual(rollFileOf({ notify }), { notify })
})

test('what people ask of a Roll is no part of its file', () => {
  const requests = { paused: true, approval: 'perNode', approved: ['n1'], abort: false }
  assert.deepEqual(rollFileOf({ ...requests, nodes: { all: true } }), { nodes: { all: true } })
})
