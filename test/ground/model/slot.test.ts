import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lease } from '../../../src/ground/model/lease.ts'
import { NODE_ANNOTATION, ofTheHolder, slotOwner, slotRef } from '../../../src/ground/model/slot.ts'
import { othersSlot } from '../../../src/service/decide/budget/owner-text.ts'

const lease = (holder: string, node: string): Lease => ({
  ...slotRef('evenkeel'),
  resourceVersion: '1',
  holder,
  durationSeconds: 120,
  renewTime: '',
  transitions: 0,
  annotations: { [NODE_ANNOTATION]: node },
})

test('the longest name that a Node can have is that of a slot’s node, and a longer text names none', () => {
  const named = (node: string) => slotOwner(lease('run-1/a', node))?.node
  assert.deepEqual(['n'.repeat(253), 'n'.repeat(254), 'n'.repeat(200_000)].map(named), [
    'n'.repeat(253),
    undefined,
    undefined,
  ])
})

test('a slot whose text is longer than any name counts still, in few words, and its holder stays as it is', () => {
  const holder = `${'r'.repeat(200_000)}/a`
  const owner = slotOwner(lease(holder, 'n'.repeat(200_000))) ?? assert.fail('nobody holds it')
  const slot = othersSlot({ index: 1, owner, isStale: false, renewTime: '', durationMs: 120_000 })
  assert.deepEqual(slot, { index: 1, owner: `run ${'r'.repeat(253)}...` })
  assert.equal(owner.holder, holder)
})

test('a slot of a machine stays one of a machine, and not once a version that does not know the annotation has it for a node', () => {
  const ofMachine = {
    ...lease('run-1/a', ''),
    annotations: ofTheHolder({ run: 'run-1', node: 'lb-1', isMachine: true }),
  }
  assert.deepEqual(slotOwner(ofMachine), { holder: 'run-1/a', run: 'run-1', node: 'lb-1', isMachine: true })
  const ofNode = { ...ofMachine, annotations: { ...ofMachine.annotations, [NODE_ANNOTATION]: 'n1' } }
  assert.deepEqual(slotOwner(ofNode), { holder: 'run-1/a', run: 'run-1', node: 'n1' })
})
