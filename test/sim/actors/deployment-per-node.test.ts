import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runDeploymentController } from '../../../src/sim/actors/deployment-controller.ts'
import { isGoing, isReady, type PodObject } from '../../../src/sim/actors/pod-object.ts'
import { runReplicaSetController } from '../../../src/sim/actors/replica-set-controller.ts'
import { runScheduler } from '../../../src/sim/scheduler/scheduler.ts'
import { DEPLOYMENTS, NODES, PODS } from '../../../src/sim/world/api-resource.ts'
import { deleteObject } from '../../../src/sim/world/delete-object.ts'
import { ControlledWorld } from './controlled-world.ts'

const NODE_NAMES = ['n1', 'n2', 'n3']
const ONE_BY_ONE = { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } }

const template = (image: string) => ({
  metadata: { labels: { app: 'guard' } },
  spec: {
    containers: [{ name: 'app', image }],
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'guard' } } },
        ],
      },
    },
  },
})

/** A Deployment with a replica on each node. */
async function onEachNode(nodes: readonly string[], spec: object): Promise<ControlledWorld> {
  const cluster = new ControlledWorld(nodes)
  for (const run of [runDeploymentController, runReplicaSetController, runScheduler]) run(cluster)
  cluster.apply({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'guard' },
    spec: {
      replicas: nodes.length,
      selector: { matchLabels: { app: 'guard' } },
      template: template('guard:1'),
      ...spec,
    },
  })
  await cluster.settle()
  assert.deepEqual(cluster.placesOf('guard'), nodes)
  return cluster
}

async function rolledOut(cluster: ControlledWorld): Promise<ControlledWorld> {
  cluster.patch(DEPLOYMENTS, 'guard', { spec: { template: template('guard:2') } })
  await cluster.settle()
  return cluster
}

/** `image node`, sorted. */
const standing = (cluster: ControlledWorld): readonly string[] =>
  cluster
    .pods('guard')
    .map(({ spec }) => `${String((spec.containers[0] as { image?: string }).image)} ${spec.nodeName ?? '-'}`)
    .toSorted()

test('with a surge, a replica on each node cannot be rolled out: the first new pod waits for ever', async () => {
  const cluster = await rolledOut(await onEachNode(NODE_NAMES, {}))
  await cluster.after(86_400_000)
  assert.deepEqual(standing(cluster), ['guard:1 n1', 'guard:1 n2', 'guard:1 n3', 'guard:2 -'])
})

test('with four nodes a quarter is one whole pod, and the default strategy gets through', async () => {
  const cluster = await rolledOut(await onEachNode(['n1', 'n2', 'n3', 'n4'], {}))
  assert.deepEqual(standing(cluster), ['guard:2 n1', 'guard:2 n2', 'guard:2 n3', 'guard:2 n4'])
})

test('without a surge, a replica on each node is rolled out one node after the other', async () => {
  const cluster = await onEachNode(NODE_NAMES, ONE_BY_ONE)
  cluster.patch(DEPLOYMENTS, 'guard', { spec: { template: template('guard:2') } })
  for (let round = 0; round < 20; round += 1) {
    await cluster.after(200)
    const standing = cluster.pods('guard').filter((pod) => !isGoing(pod) && isReady(pod))
    assert.ok(standing.length >= 2, `${standing.length} are Ready`)
    cluster.kubelets()
  }
  assert.deepEqual(standing(cluster), ['guard:2 n1', 'guard:2 n2', 'guard:2 n3'])
})

test('scaled down by one while a pod waits for a node, it loses that pod and no other', async () => {
  const cluster = await onEachNode(NODE_NAMES, ONE_BY_ONE)
  cluster.patch(NODES, 'n2', { spec: { unschedulable: true } })
  const evicted = cluster.pods('guard').find(({ spec }) => spec.nodeName === 'n2') as PodObject
  deleteObject(cluster.world, { resource: PODS, old: evicted, options: {} })
  await cluster.settle()
  assert.deepEqual(cluster.placesOf('guard'), ['-', 'n1', 'n3'])
  const kept = cluster.pods('guard').filter(({ spec }) => spec.nodeName !== undefined)
  cluster.patch(DEPLOYMENTS, 'guard', { spec: { replicas: 2 } })
  await cluster.settle()
  assert.deepEqual(
    cluster.pods('guard').map(({ metadata }) => metadata.uid),
    kept.map(({ metadata }) => metadata.uid),
  )
})
