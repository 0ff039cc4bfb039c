import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SeenSlot } from '../../../../src/ground/model/slot.ts'
import { slotFor, slotsToAskFor } from '../../../../src/service/decide/budget/free-slots.ts'

const slot = (index: number, node: string, isStale: boolean): SeenSlot => ({
  index,
  owner: { holder: 'run-2/a', run: 'run-2', node },
  isStale,
  renewTime: '2026-01-01T00:00:00.000000Z',
  durationMs: 15_000,
})

const ofMachine = (index: number): SeenSlot => {
  const { owner, ...slot1 } = slot(index, 'lb-1', true)
  return { ...slot1, owner: { ...owner, isMachine: true } }
}

const asked = (slots: readonly SeenSlot[]) =>
  slotFor(slotsToAskFor({ limit: { kind: 'count', count: 3 }, fleet: 9, out: [], slots }), 'n1')?.index

test('one slot per node: a slot that a stale owner left for the node is asked for before a free one', () => {
  assert.equal(asked([slot(2, 'n1', true)]), 2)
})

test('what a stale owner left for another node, and what a live one holds, is not preferred', () => {
  assert.deepEqual([asked([slot(2, 'n2', true)]), asked([slot(0, 'n1', false)]), asked([])], [0, 1, 0])
})

test('the slot of a machine of a load balancer is not taken over: no Node tells whether it is back', () => {
  assert.deepEqual([asked([ofMachine(0)]), asked([ofMachine(0), ofMachine(1), ofMachine(2)])], [1, undefined])
})
