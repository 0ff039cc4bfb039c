import assert from 'node:assert/strict'
import { NODES } from '../../src/sim/world/api-resource.ts'
import { createObject } from '../../src/sim/world/create-object.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { IngressGround } from '../support/virtual-ingress/ingress-ground.ts'
import { anIngressManifest } from '../support/virtual-ingress/ingress-manifests.ts'

const test = simulationTest(import.meta.url)

function registerAnew(ground: IngressGround, name: string): void {
  const { spec, status, metadata } = ground.node(name)
  ground.cluster.world.store.remove(NODES, { name })
  const body = { metadata: { name, labels: metadata.labels }, spec, status }
  createObject(ground.cluster.world, { resource: NODES, body })
}

test('a node that is registered anew while the object has it out is back in its load balancers, though its agent kept the claim', async (t) => {
  const ground = await IngressGround.open({ nodes: 3 })
  t.after(() => ground.end())
  ground.begin()
  ground.apply(anIngressManifest('v1'))
  await ground.until('all nodes to be in service', () => ground.condition('Ready') === 'True AllInService', 120)
  ground.apply(anIngressManifest('v2'))
  await ground.until('a node to be claimed', () => ground.claimed().length === 1, 120)
  await ground.cluster.time.advance(500)
  const [name = ''] = ground.claimed()
  registerAnew(ground, name)
  await ground.until('all nodes to be in service again', () => ground.condition('Ready') === 'True AllInService', 300)
  await ground.until('the load balancer to send to all nodes', () => ground.isServed(), 60)
  assert.deepEqual([ground.claimed(), ground.podLines().every((line) => line.endsWith(' v2'))], [[], true])
})

test('nodes that are registered anew while their pods serve keep them, and no request is lost', async (t) => {
  const ground = await IngressGround.open({ nodes: 3 })
  t.after(() => ground.end())
  ground.begin()
  ground.apply(anIngressManifest('v1'))
  await ground.until('all nodes to be in service', () => ground.condition('Ready') === 'True AllInService', 120)
  await ground.until('the load balancer to send to all nodes', () => ground.isServed(), 60)
  const uids = (): string =>
    ground
      .pods()
      .map(({ metadata }) => metadata.uid)
      .toSorted()
      .join()
  const before = uids()
  const lost = ground.traffic()
  for (const name of ['n1', 'n2', 'n3']) registerAnew(ground, name)
  await ground.cluster.time.advance(30_000)
  const judge = await lost()
  assert.deepEqual([judge.failed, uids() === before], [0, true])
  // The next rollout takes them out one after the other, as before.
  ground.apply(anIngressManifest('v2'))
  await ground.until('all nodes to have v2', () => ground.podLines().every((line) => line.endsWith(' v2')), 300)
})
