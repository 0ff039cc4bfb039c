import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideGuards } from '../../../src/guard/decide/decide.ts'
import { aNode } from '../../support/guard/guard-objects.ts'
import { GuardToy } from '../../support/guard/guard-toy.ts'
import { readGuard } from './read-guard.ts'

const guardOf = (image: string) =>
  readGuard({ spec: { template: { spec: { containers: [{ name: 'guard', image }] } } } })

/** So many nodes, all of them guarded. */
function guarded(count: number): GuardToy {
  const names = Array.from({ length: count }, (_, at) => `n${at + 1}`)
  const toy = new GuardToy(
    [guardOf('1')],
    names.map((name) => aNode(name)),
  )
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
