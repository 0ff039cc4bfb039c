import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publishedBy, withGrants } from '../../../../src/agent/run/brake/grants-object.ts'

const EMPTY = { namespace: 'evenkeel', name: 'evenkeel-cordon-grants', resourceVersion: '7', annotations: {}, data: {} }

test('a ConfigMap that bears nothing of ours grants nothing, has told of no node, and has no writer', () => {
  assert.deepEqual(publishedBy(EMPTY), { writer: '', announced: [] })
  assert.equal(publishedBy(undefined), undefined)
})

test('what is written is read back, and what else is in the ConfigMap stays', () => {
  const grants = { version: 1, granted: ['n1'], max: 1, of: 3 } as const
  const found = { ...EMPTY, annotations: { owner: 'platform' }, data: { note: 'do not delete' } }
  const written = withGrants(
    { grants, announced: ['n2', 'n3'] },
    { namespace: 'evenkeel', self: 'controller-1', found },
  )
  assert.deepEqual(publishedBy(written), { writer: 'controller-1', announced: ['n2', 'n3'], grants })
  assert.deepEqual([written.annotations.owner, written.data.note], ['platform', 'do not delete'])
  assert.equal(written.resourceVersion, '7')
})
