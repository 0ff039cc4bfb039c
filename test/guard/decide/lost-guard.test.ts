import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import { decideGuards } from '../../../src/guard/decide/decide.ts'
import { guardPass } from '../../../src/guard/decide/pass.ts'
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

test('a granted node that lost one of its guards goes on beside a cordoned one that lost one of its own', () => {
  const toy = new GuardToy(two, [aNode('n1'), aNode('n2')])
  for (let i = 0; i < 4; i += 1) pass(toy)
  const lose = (guard: number, name: string) => {
    const found = toy.guards[guard]
    assert.ok(found !== undefined)
    found.pods = found.pods.filter(({ nodeName }) => nodeName !== name)
  }
  const opened = () =>
    guardPass(toy.snapshot()).nodes.flatMap(({ name, members }) =>
      members.filter(({ isOpen, isThere }) => isOpen && isThere).map(({ view }) => `${view.guard.name} of ${name}`),
    )
  Object.assign(toy.nodes.get('n1') ?? {}, { unschedulable: true })
  for (let i = 0; i < 3; i += 1) pass(toy)
  lose(0, 'n1')
  Object.assign(toy.nodes.get('n2') ?? {}, { unschedulable: true })
  lose(1, 'n2')
  for (let i = 0; i < 3; i += 1) pass(toy)
  assert.deepEqual(opened(), ['other of n1'])
})

/** The guards of these nodes were deleted before they were ready, and resist. */
function stuck(toy: GuardToy, names: readonly string[]): void {
  for (const guard of toy.guards)
    guard.pods = guard.pods.map((pod) =>
      names.includes(pod.nodeName ?? '') ? { ...pod, deleting: true, isLocked: true, isReady: false } : pod,
    )
  for (const name of names) {
    const node = toy.nodes.get(name)
    assert.ok(node !== undefined)
    node.unschedulable = true
  }
}

const granted = (toy: GuardToy): readonly string[] =>
  toy.slots.flatMap(({ owner: { node } }) => (node === undefined ? [] : [node]))

test('of two nodes whose guards resist and can never be ready, one is granted', () => {
  const toy = new GuardToy([readGuard({ spec })], [aNode('n1'), aNode('n2'), aNode('n3')])
  for (let i = 0; i < 4; i += 1) pass(toy)
  stuck(toy, ['n1', 'n2'])
  pass(toy)
  assert.deepEqual(granted(toy), ['n1'])
})

test('of two such nodes the one that has a slot goes on, also where the other one asked first', () => {
  const holds = [{ name: 'a', annotation: { key: 'x/y' } }]
  const toy = new GuardToy([readGuard({ spec: { ...spec, holds } })], [aNode('n1'), aNode('n2'), aNode('n3')])
  for (let i = 0; i < 4; i += 1) pass(toy)
  const held = `${toy.guards[0]?.guard.uid}/n1`
  toy.verdicts.set(held, 'held')
  for (const name of ['n1', 'n2']) {
    Object.assign(toy.nodes.get(name) ?? {}, { unschedulable: true })
    pass(toy)
  }
  assert.deepEqual(granted(toy), ['n2'])
  stuck(toy, ['n1', 'n2'])
  toy.verdicts.delete(held)
  assert.deepEqual([pass(toy), pass(toy), granted(toy)], [['claim'], ['openGate', 'unlockPod'], ['n2']])
})

test('a node whose guard was just deleted for its drain keeps its slot, also where the other one asked first as far as is known', () => {
  const toy = new GuardToy([readGuard({ spec: { mode: 'Budget', resistDeletion: true } })], [aNode('n1'), aNode('n2')])
  for (let i = 0; i < 4; i += 1) pass(toy)
  const [guard] = toy.guards
  assert.ok(guard !== undefined)
  Object.assign(toy.nodes.get('n2') ?? {}, { unschedulable: true })
  assert.deepEqual([pass(toy), pass(toy)], [['takeSlot'], ['claim']])
  guard.pods = guard.pods.map((pod) =>
    pod.nodeName === 'n2' ? { ...pod, deleting: true, isLocked: true, isReady: true } : pod,
  )
  stuck(toy, ['n1'])
  toy.waitedFrom.set('n1', wallMs(0))
  assert.deepEqual([...pass(toy), ...pass(toy), ...granted(toy)], ['alignDeployment', 'n2'])
})

test('a node with a ready guard waits for one whose guard resists and can never be ready', () => {
  const toy = new GuardToy(
    [readGuard({ spec: { ...spec, holds: [{ name: 'a', annotation: { key: 'x/y' } }] } })],
    [aNode('n1'), aNode('n2')],
  )
  for (let i = 0; i < 4; i += 1) pass(toy)
  stuck(toy, ['n1'])
  toy.verdicts.set(`${toy.guards[0]?.guard.uid}/n1`, 'held')
  const node = toy.nodes.get('n2')
  assert.ok(node !== undefined)
  node.unschedulable = true
  pass(toy)
  assert.deepEqual(granted(toy), [])
})
