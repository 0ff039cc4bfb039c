import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideGuards } from '../../../src/guard/decide/decide.ts'
import { aNode } from '../../support/guard/guard-objects.ts'
import { aSlotOf, GuardToy } from '../../support/guard/guard-toy.ts'
import { readGuard } from './read-guard.ts'

const HOLDS = { holds: [{ name: 'volumes', volumes: {} }] }

/** Three guarded nodes, of which n1 is cordoned; room for two that are out. */
function cordoned(): GuardToy {
  const toy = new GuardToy(
    [readGuard({ spec: HOLDS })],
    ['n1', 'n2', 'n3'].map((name) => aNode(name)),
  )
  toy.maxOut = 2
  for (let i = 0; i < 4; i += 1) pass(toy)
  Object.assign(toy.nodes.get('n1') ?? {}, { unschedulable: true })
  return toy
}

/** The actions about nodes of a pass, and why n1 waits. */
function pass(toy: GuardToy): readonly [actions: readonly string[], why: readonly string[]] {
  const decision = decideGuards(toy.snapshot())
  const actions = decision.kind === 'act' ? decision.actions : []
  for (const action of actions) toy.perform(action)
  const why = decision.reasons.filter(({ object }) => object === 'n1').map(({ code }) => code)
  toy.turn()
  return [actions.flatMap((action) => ('node' in action ? [`${action.kind} ${action.node}`] : [])), why]
}

test('a node that asks gets a slot, then a claim, then the open budget', () => {
  const toy = cordoned()
  const steps = [pass(toy), pass(toy), pass(toy), pass(toy)].map(([actions]) => actions)
  assert.deepEqual(steps, [['takeSlot n1'], ['claim n1'], ['openGate n1'], []])
})

test('law: of all guards of a group one node is granted at a time; none while the guard of another one is missing or not ready', () => {
  const toy = cordoned()
  const [of] = toy.guards
  assert.ok(of !== undefined)
  of.pods = of.pods.filter(({ nodeName }) => nodeName !== 'n2')
  assert.deepEqual(pass(toy), [[], ['GuardMissingElsewhere']])
  const late = of.pods.find(({ nodeName }) => nodeName === 'n2')
  assert.equal(late?.isReady, false)
  assert.deepEqual(pass(toy), [[], ['GuardMissingElsewhere']])
  assert.deepEqual(pass(toy), [['takeSlot n1'], []])
})

test('no node is granted so soon after an outage that agents may not follow yet; one whose guard may go keeps its grant', () => {
  const toy = cordoned()
  toy.outage = { code: 'ApiWasAway', text: 'the API server was away' }
  assert.deepEqual(pass(toy), [[], ['ApiWasAway']])
  toy.outage = undefined
  for (let i = 0; i < 3; i += 1) pass(toy)
  toy.outage = { code: 'ApiWasAway', text: 'the API server was away' }
  assert.deepEqual(pass(toy), [[], []])
})

for (const kind of ['held', 'unknown', 'unread'] as const) {
  test(`a node whose hold is ${kind} is not granted, and loses a grant that it has`, () => {
    const toy = cordoned()
    toy.verdicts.set('u1/n1', kind)
    const code = kind === 'held' ? 'HoldStands' : 'HoldUnknown'
    assert.deepEqual(pass(toy), [[], [code]])
    toy.verdicts.clear()
    for (let i = 0; i < 3; i += 1) pass(toy)
    toy.verdicts.set('u1/n1', kind)
    const steps = [pass(toy), pass(toy), pass(toy)].map(([actions]) => actions)
    assert.deepEqual(steps, [['closeGate n1'], ['withdrawClaim n1'], ['releaseSlot n1']])
  })
}

test('law: a node is granted only while fewer nodes than the budget allows are out, counted before its slot is taken and again after; one that others were faster than gives its slot back', () => {
  const toy = cordoned()
  toy.maxOut = 1
  toy.slots = [aSlotOf('n2', 0, 'roll/x')]
  assert.deepEqual(pass(toy), [[], ['BudgetUsedUp']])
  toy.slots = [aSlotOf('n2', 0, 'roll/x'), aSlotOf('n1', 1)]
  assert.deepEqual(pass(toy), [['releaseSlot n1'], ['BudgetUsedUp']])
})

test('of two that took a slot before each saw the other, the one of the lower slot goes on', () => {
  const toy = cordoned()
  toy.maxOut = 1
  toy.slots = [aSlotOf('n1', 0), aSlotOf('n2', 1, 'roll/x')]
  assert.deepEqual(pass(toy), [['claim n1'], []])
})

test('a node that a roll has out already goes by the slot of the roll', () => {
  const toy = cordoned()
  toy.maxOut = 1
  toy.slots = [aSlotOf('n1', 0, 'roll/x')]
  const steps = [pass(toy), pass(toy)].map(([actions]) => actions)
  assert.deepEqual(steps, [['claim n1'], ['openGate n1']])
})

test('a grant that is not used in time is taken back', () => {
  const toy = cordoned()
  for (let i = 0; i < 3; i += 1) pass(toy)
  for (let i = 0; i < 119; i += 1) toy.turn()
  assert.deepEqual(pass(toy), [['closeGate n1'], []])
})
