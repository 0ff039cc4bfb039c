import assert from 'node:assert/strict'
import { NODES } from '../../src/sim/world/api-resource.ts'
import { createObject } from '../../src/sim/world/create-object.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { IngressGround } from '../support/virtual-ingress/ingress-ground.ts'
import { anIngressManifest } from '../support/virtual-ingress/ingress-manifests.ts'

const test = simulationTest(import.meta.url)

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
  const { spec, status, metadata } = ground.node(name)
  ground.cluster.world.store.remove(NODES, { name })
  createObject(ground.cluster.world, {
    resource: NODES,
    body: { metadata: { name, labels: metadata.labels }, spec, status },
  })
  await ground.until('all nodes to be in service again', () => ground.condition('Ready') === 'True AllInService', 300)
  await ground.until('the load balancer to send to all nodes', () => ground.isServed(), 60)
  assert.deepEqual([ground.claimed(), ground.podLines().every((line) => line.endsWith(' v2'))], [[], true])
})
