import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEPLOYMENTS, DISRUPTION_BUDGETS, NODE_GUARDS } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { ControllerPlace, leaderOf, until } from '../../support/controller/controller-place.ts'

const AT = { namespace: 'default', name: 'storage' }

function createGuard({ world }: ControllerPlace): void {
  const body = { metadata: { name: AT.name }, spec: { follow: { nodeSelector: {} }, mode: 'PerNode' } }
  createObject(world, { resource: NODE_GUARDS, namespace: AT.namespace, body })
}

test('with --guard the leader keeps a guard on each node, on one watch of the Nodes for all loops, and shows its work', async (t) => {
  const place = await ControllerPlace.of(t, 2)
  const controller = await place.controller('--guard', '--ingress')
  await leaderOf([controller])
  createGuard(place)
  const { store } = place.world
  for (const kind of [DISRUPTION_BUDGETS, DEPLOYMENTS])
    await until(`a ${kind.kind} for each node`, () => [...store.all(kind)].length === 2)
  await until('the status', () => JSON.stringify(store.get(NODE_GUARDS, AT)?.status).includes('Ready'))
  assert.deepEqual(
    place.watched.filter((path) => path === '/api/v1/nodes'),
    ['/api/v1/nodes'],
  )
  assert.match(await controller.page('/healthz'), /"guard":\{"queue":\{"depth":/)
  assert.match(await controller.page('/metrics'), /^evenkeel_controller_pass_seconds_count\{loop="guard"\} [1-9]/m)
  assert.equal(await controller.end('SIGTERM'), 0)
})

test('without --guard the leader does not look at NodeGuards', async (t) => {
  const place = await ControllerPlace.of(t, 2)
  createGuard(place)
  const controller = await place.controller()
  await leaderOf([controller])
  await until('the grants', () => place.grants() !== undefined)
  assert.deepEqual(
    [...place.needed].filter((right) => right.includes('nodeguards')),
    [],
  )
  assert.doesNotMatch(await controller.page('/healthz'), /"guard"/)
})
