import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideGuards } from '../../../src/core/guard/decide.ts'
import { aNode } from '../../support/guard/guard-objects.ts'
import { GuardToy } from '../../support/guard/guard-toy.ts'
import { readGuard } from './read-guard.ts'

const spec = { mode: 'PerNode' }
const two = [readGuard({ spec }), readGuard({ spec, metadata: { name: 'other', uid: 'u2' } })]

/** The kinds of the actions of a pass. */
function pass(toy: GuardToy): readonly string[] {
  toy.turn()
  const decision = decideGuards(toy.snapshot())
  if (decision.kind !== 'act') return []
  for (const action of decision.actions) toy.perform(action)
  return decision.actions.map(({ kind }) => kind)
}

test('a cordoned node that lost one of its guards by itself takes a slot and a claim before the other one is let go', () => {
  const toy = new GuardToy(two, [aNode('n1'), aNode('n2')])
  for (let i = 0; i < 4; i += 1) pass(toy)
  const [node, first] = [toy.nodes.get('n1'), toy.guards[0]]
  assert.ok(node !== undefined && first !== undefined)
  node.unschedulable = true
  first.pods = first.pods.filter(({ nodeName }) => nodeName !== 'n1')
  assert.deepEqual([pass(toy), pass(toy), pass(toy)], [['takeSlot'], ['claim'], ['openGate']])
})
