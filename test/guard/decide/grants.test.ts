import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NODE_ANNOTATION } from '../../../src/ground/model/slot.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { decideGuards } from '../../../src/guard/decide/decide.ts'
import type { GuardSnapshot } from '../../../src/guard/decide/snapshot.ts'
import { aNode } from '../../support/guard/guard-objects.ts'
import { aSlotOf, GuardToy, isOpen } from '../../support/guard/guard-toy.ts'
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

test('no node is granted while the node budget cannot be read; one that waits for its claim gives its slot back', () => {
  const fault = { code: 'BudgetUnread', text: 'the node budget could not be read' } as const
  const toy = cordoned()
  const unread = (): string => {
    const s = toy.snapshot()
    const decision = decideGuards({ ...s, budget: { ...s.budget, fault } })
    const done = decision.kind === 'act' ? decision.actions.map(({ kind }) => kind) : []
    return [decision.kind, ...done, ...decision.reasons.map(({ code }) => code)].join(' ')
  }
  assert.equal(unread(), 'hold BudgetUnread')
  pass(toy)
  assert.equal(unread(), 'act releaseSlot BudgetUnread')
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

/** The budgets that are open, as GUARD/NODE. */
const open = (toy: GuardToy): readonly string[] =>
  toy.guards.flatMap(({ guard, gates }) =>
    gates.filter(isOpen).map(({ annotations }) => `${guard.name}/${annotations[NODE_ANNOTATION]}`),
  )

/** Somebody else opens the budget over the guard of a node. */
function openByHand(toy: GuardToy, node: string): void {
  const gate = toy.guards[0]?.gates.find(({ annotations }) => annotations[NODE_ANNOTATION] === node)
  assert.ok(gate !== undefined)
  gate.content = { ...gate.content, spec: { ...(gate.content.spec as object), minAvailable: 0 } }
}

test('law: a budget is open only for the one node that is granted, with its slot and its claim; one that another program opened is closed, also on a node that asks', () => {
  const toy = cordoned()
  toy.maxOut = 1
  toy.slots = [aSlotOf('n2', 0, 'roll/x')]
  assert.deepEqual(pass(toy), [[], ['BudgetUsedUp']])
  openByHand(toy, 'n1')
  assert.deepEqual([pass(toy), open(toy)], [[['closeGate n1'], []], []])
  openByHand(toy, 'n3')
  assert.deepEqual([pass(toy)[0], open(toy)], [['closeGate n3'], []])
})

test('a node that a person released in one guard closes the budget of its other guard before another node is granted', () => {
  const guards = ['a', 'b'].map((name) => readGuard({ spec: HOLDS, metadata: { name, uid: name } }))
  const toy = new GuardToy(
    guards,
    ['n1', 'n2', 'n3'].map((name) => aNode(name)),
  )
  toy.maxOut = 2
  for (let i = 0; i < 4; i += 1) pass(toy)
  toy.verdicts.set('a/n2', 'held')
  for (const name of ['n2', 'n1']) {
    Object.assign(toy.nodes.get(name) ?? {}, { unschedulable: true })
    for (let i = 0; i < 4; i += 1) pass(toy)
  }
  assert.deepEqual(open(toy), ['a/n1', 'b/n1'])
  const [of] = toy.guards
  assert.ok(of !== undefined)
  of.pods = of.pods.filter(({ nodeName }) => nodeName !== 'n1')
  Object.assign(of, {
    guard: { ...of.guard, releases: { entries: [{ node: 'n1', by: 'alice', until: '2026-01-01T13:00:00Z' }] } },
  })
  toy.verdicts.clear()
  const seen = [1, 2, 3, 4, 5].map(() => {
    pass(toy)
    return new Set(open(toy).map((text) => text.slice(2))).size
  })
  assert.deepEqual([seen.filter((count) => count > 1), open(toy)], [[], ['a/n2', 'b/n2']])
})

test('a grant has one clock: once it is over for one guard of the node it is over for all of them', () => {
  const short = readGuard({ spec: { grantTimeoutSeconds: 60 }, metadata: { name: 'a', uid: 'a' } })
  const toy = new GuardToy([short, readGuard({ metadata: { name: 'b', uid: 'b' } })], [aNode('n1'), aNode('n2')])
  for (let i = 0; i < 4; i += 1) pass(toy)
  Object.assign(toy.nodes.get('n1') ?? {}, { unschedulable: true })
  for (let i = 0; i < 3; i += 1) pass(toy)
  for (let i = 0; i < 11; i += 1) toy.turn()
  assert.deepEqual([pass(toy)[0], open(toy)], [['closeGate n1', 'closeGate n1'], []])
})

test('the slot of an owner that has not begun lets no node go that has no room, also once the group has claimed it', () => {
  const guard = readGuard({ spec: { follow: { daemonSet: null, nodeSelector: { disk: 'ssd' } } } })
  const toy = new GuardToy(
    [guard],
    ['n1', 'n2'].map((name) => aNode(name, { labels: { disk: 'ssd' } })),
  )
  for (let i = 0; i < 4; i += 1) pass(toy)
  Object.assign(toy.nodes.get('n1') ?? {}, { unschedulable: true })
  toy.slots = [aSlotOf('n1', 0, 'roll/x')]
  assert.deepEqual(pass(toy)[0], ['claim n1'])
  toy.nodes.set('n5', aNode('n5', { labels: {}, ready: 'False' }))
  assert.deepEqual([pass(toy), open(toy)], [[['withdrawClaim n1'], ['BudgetUsedUp']], []])
})

const againMs = (s: GuardSnapshot): number | string => {
  const decision = decideGuards(s)
  return decision.kind === 'hold' ? decision.recheckAfterMs : decision.kind
}

test('while a budget is open, the group is looked at again within a second', () => {
  const toy = cordoned()
  for (let i = 0; i < 3; i += 1) pass(toy)
  assert.equal(againMs(toy.snapshot()), 1_000)
})

test('a group whose world is not known is looked at again in 5 s, and one whose next write is refused in 10 s, not at once', () => {
  const toy = cordoned()
  const s = toy.snapshot()
  assert.equal(againMs({ ...s, isFresh: false }), 5_000)
  const until = wallMs(s.now + 60_000)
  assert.equal(againMs({ ...s, refusals: new Map([['takeSlot n1', { words: 'no', since: s.now, until }]]) }), 10_000)
})

test('a node whose grant ended unused is behind the others, and its holds count from when it was cordoned', () => {
  const maxHold = { seconds: 60, policy: 'Release' }
  const toy = new GuardToy([readGuard({ spec: { ...HOLDS, maxHold } })], [aNode('n1'), aNode('n2'), aNode('n3')])
  for (let i = 0; i < 4; i += 1) pass(toy)
  for (const name of ['n1', 'n2']) Object.assign(toy.nodes.get(name) ?? {}, { unschedulable: true })
  toy.snapshot()
  for (let i = 0; i < 13; i += 1) toy.turn()
  toy.waitedFrom.set('n1', toy.now)
  toy.verdicts.set('u1/n1', 'held')
  toy.verdicts.set('u1/n2', 'held')
  assert.deepEqual(pass(toy)[0], ['takeSlot n2'])
})

test('an open budget is closed once nothing has been known of the world for a minute, and not before', () => {
  const toy = cordoned()
  for (let i = 0; i < 3; i += 1) pass(toy)
  Object.assign(toy, { isFresh: false, unknownForMs: 59_000 })
  assert.deepEqual([pass(toy)[0], open(toy)], [[], ['storage/n1']])
  toy.unknownForMs = 61_000
  assert.deepEqual([pass(toy)[0], open(toy)], [['closeGate n1'], []])
  assert.deepEqual(pass(toy)[0], [])
})
