import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RepeatedActs } from '../../../src/ground/loop/owned/repeated-acts.ts'
import type { Taint } from '../../../src/ground/model/node.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { type GuardAction, guardActionKey } from '../../../src/guard/decide/action.ts'
import { decideGuards } from '../../../src/guard/decide/decide.ts'
import { aDaemonSet, aNode, taint } from '../../support/guard/guard-objects.ts'
import { GuardToy } from '../../support/guard/guard-toy.ts'
import { readGuard } from './read-guard.ts'

const guardOf = (image: string, mode = 'PerNode') =>
  readGuard({ spec: { mode, template: { spec: { containers: [{ name: 'guard', image }] } } } })

/** So many nodes, all of them guarded. */
function guarded(count: number, { mode = 'PerNode', daemonSet = aDaemonSet() } = {}): GuardToy {
  const names = Array.from({ length: count }, (_, at) => `n${at + 1}`)
  const toy = new GuardToy(
    [guardOf('1', mode)],
    names.map((name) => aNode(name)),
  )
  toy.daemonSet = daemonSet
  for (let i = 0; i < 6; i += 1) pass(toy)
  return toy
}

/** The number of Deployments whose pods a pass replaces. */
function pass(toy: GuardToy): number {
  const decision = decideGuards(toy.snapshot())
  const actions = decision.kind === 'act' ? decision.actions : []
  for (const action of actions) toy.perform(action)
  toy.turn()
  return actions.filter(({ kind }) => kind === 'alignDeployment').length
}

/** Its other objects stay. */
function edit(toy: GuardToy, image: string): void {
  for (const of of toy.guards) Object.assign(of, { guard: guardOf(image) })
}

const countOf = (toy: GuardToy, image: string): number =>
  toy.guards.flatMap(({ deployments }) =>
    deployments.filter(({ content }) => JSON.stringify(content).includes(`"image":"${image}"`)),
  ).length

test('a corrected template reaches the guards whose new pods the API server refused, however many they are', () => {
  const toy = guarded(25)
  edit(toy, 'refused')
  assert.equal(pass(toy), 20)
  for (const { deployments } of toy.guards)
    for (const deployment of deployments)
      if (JSON.stringify(deployment.content).includes('"refused"')) deployment.updated = 0
  assert.deepEqual([pass(toy), countOf(toy, 'refused')], [0, 20])
  edit(toy, '2')
  assert.deepEqual([pass(toy), countOf(toy, 'refused'), countOf(toy, '1')], [20, 0, 5])
  assert.deepEqual([pass(toy), countOf(toy, '2')], [5, 25])
})

test('budgets that a policy sets back each time keep no new node from its guard, however many they are', () => {
  const toy = guarded(201)
  const [of] = toy.guards
  assert.ok(of !== undefined)
  const setBack = (): void => {
    of.gates = of.gates.map((gate) => ({
      ...gate,
      content: { spec: { ...(gate.content.spec as object), unhealthyPodEvictionPolicy: 'AlwaysAllow' } },
    }))
  }
  setBack()
  toy.nodes.set('new', aNode('new'))
  const repeated = new RepeatedActs({ monoMs: () => monoMs(toy.now) })
  const [made, atOnce]: [string[], number[]] = [[], []]
  for (let passes = 0; passes < 8; passes += 1) {
    const isHeld = (action: GuardAction): boolean => repeated.isHeld('all', guardActionKey(action))
    const decision = repeated.paced('all', decideGuards(toy.snapshot(), isHeld), guardActionKey)
    atOnce.push(decision.kind === 'act' ? decision.actions.length : 0)
    for (const action of decision.kind === 'act' ? decision.actions : []) {
      toy.perform(action)
      repeated.done('all', guardActionKey(action))
      if (action.kind === 'createGate') made.push(action.wanted.node ?? '')
    }
    setBack()
  }
  assert.deepEqual(made, ['new'])
  assert.equal(Math.max(...atOnce), 200, 'no pass writes more than that')
})

const EVERY_TAINT = aDaemonSet({ tolerations: [{ operator: 'Exists' }] })

function setTaints(toy: GuardToy, ...taints: readonly Taint[]): void {
  Object.assign(toy.nodes.get('n2') ?? {}, { taints })
}

for (const mode of ['PerNode', 'Budget']) {
  test(`${mode}: no guard is replaced by a taint that only prefers other nodes, nor by one of a program at work, though the DaemonSet tolerates every taint`, () => {
    const toy = guarded(3, { mode, daemonSet: EVERY_TAINT })
    setTaints(toy, taint('weave.works/kured-node-reboot', 'PreferNoSchedule'), taint('medik8s.io/drain'))
    assert.equal(pass(toy), 0)
  })

  test(`${mode}: a taint that comes and goes replaces the guards once`, () => {
    const toy = guarded(3, { mode, daemonSet: EVERY_TAINT })
    const replaced = [[taint('node.cilium.io/agent-not-ready')], [], [taint('node.cilium.io/agent-not-ready')], []].map(
      (taints) => {
        setTaints(toy, ...taints)
        return pass(toy) + pass(toy)
      },
    )
    assert.deepEqual(replaced, [mode === 'PerNode' ? 3 : 1, 0, 0, 0])
  })

  test(`${mode}: what the DaemonSet does not tolerate any more, its guards do not tolerate either`, () => {
    const toy = guarded(3, { mode, daemonSet: EVERY_TAINT })
    setTaints(toy, taint('gpu'))
    pass(toy)
    setTaints(toy)
    toy.daemonSet = aDaemonSet()
    pass(toy)
    const text = JSON.stringify(toy.guards.map(({ deployments }) => deployments.map(({ content }) => content)))
    assert.equal(text.includes('"gpu"'), false)
  })
}
