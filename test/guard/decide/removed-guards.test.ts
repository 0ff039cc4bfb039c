import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NODE_ANNOTATION } from '../../../src/ground/model/slot.ts'
import { decideGuards } from '../../../src/guard/decide/decide.ts'
import { aNode } from '../../support/guard/guard-objects.ts'
import { GuardToy } from '../../support/guard/guard-toy.ts'
import { readGuard } from './read-guard.ts'

/** What a pass does, in words. */
function pass(toy: GuardToy): readonly string[] {
  const decision = decideGuards(toy.snapshot())
  const actions = decision.kind === 'act' ? decision.actions : []
  for (const action of actions) toy.perform(action)
  toy.turn()
  return actions.map(({ kind }) => kind)
}

function guarded(): GuardToy {
  const toy = new GuardToy(
    [readGuard({})],
    ['n1', 'n2'].map((name) => aNode(name)),
  )
  for (let i = 0; i < 4; i += 1) pass(toy)
  return toy
}

/** A finalizer of another program keeps it. */
function keepsGate(toy: GuardToy, node: string): void {
  for (const of of toy.guards)
    of.gates = of.gates.map((gate) => (gate.annotations[NODE_ANNOTATION] === node ? { ...gate, deleting: true } : gate))
}

test('a budget of a node that is gone is deleted once, though a finalizer of another program keeps it', () => {
  const toy = guarded()
  toy.nodes.delete('n2')
  assert.deepEqual(pass(toy), ['deleteDeployment'])
  const [of] = toy.guards
  assert.ok(of !== undefined)
  const gates = [...of.gates]
  assert.deepEqual(pass(toy), ['deleteGate'])
  of.gates = gates
  keepsGate(toy, 'n2')
  assert.deepEqual(pass(toy), [])
})

test('a second Deployment of a node, and then its budget, is deleted once, though a finalizer of another program keeps it', () => {
  const toy = guarded()
  const [of] = toy.guards
  const [deployment] = of?.deployments ?? []
  const [gate] = of?.gates ?? []
  assert.ok(of !== undefined && deployment !== undefined && gate !== undefined)
  const second = { ...deployment, name: 'a-second', uid: 'second' }
  of.deployments = [second, ...of.deployments]
  of.gates = [{ ...gate, name: 'a-second', uid: 'second gate' }, ...of.gates]
  const kinds = decideGuards(toy.snapshot())
  assert.deepEqual(kinds.kind === 'act' ? kinds.actions.map(({ kind }) => kind) : [], ['deleteDeployment'])
  second.deleting = true
  assert.deepEqual(decideGuards(toy.snapshot()).kind, 'settled')
  of.deployments = of.deployments.slice(1)
  assert.deepEqual(pass(toy), ['deleteGate'])
})
