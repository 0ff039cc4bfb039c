import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runDeploymentController } from '../../../src/sim/actors/deployment-controller.ts'
import { isGoing, isReady, type PodObject } from '../../../src/sim/actors/pod-object.ts'
import { runReplicaSetController } from '../../../src/sim/actors/replica-set-controller.ts'
import { runScheduler } from '../../../src/sim/scheduler/scheduler.ts'
import { DEPLOYMENTS, PODS, REPLICA_SETS } from '../../../src/sim/world/api-resource.ts'
import { ControlledWorld } from './controlled-world.ts'

const deployment = (spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 4,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'web:1' }] } },
    ...spec,
  },
})

async function deployed(spec: object = {}): Promise<ControlledWorld> {
  const cluster = new ControlledWorld(['n1', 'n2'])
  for (const run of [runDeploymentController, runReplicaSetController, runScheduler]) run(cluster)
  cluster.apply(deployment(spec))
  await cluster.settle()
  return cluster
}

const change = (cluster: ControlledWorld, image: string): void =>
  cluster.patch(DEPLOYMENTS, 'web', { spec: { template: { spec: { containers: [{ name: 'app', image }] } } } })

const statusOf = (cluster: ControlledWorld) => cluster.get(DEPLOYMENTS, 'web').status as Record<string, number>

const imagesOf = (pods: readonly PodObject[]): readonly unknown[] =>
  pods.map(({ spec }) => (spec.containers[0] as { image?: string } | undefined)?.image)

test('a rollout never has more than it may, nor fewer Ready than it must', async () => {
  const cluster = await deployed({ strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } })
  change(cluster, 'web:2')
  for (let round = 0; round < 20; round += 1) {
    await cluster.after(100)
    const staying = cluster.pods('web').filter((pod) => !isGoing(pod))
    assert.ok(staying.length <= 5, `${staying.length} at once`)
    assert.ok(staying.filter(isReady).length >= 3)
    const [next] = staying.filter((pod) => !isReady(pod))
    if (next !== undefined) cluster.setReady(next)
    for (const pod of cluster.pods('web').filter(isGoing)) cluster.world.store.remove(PODS, pod.metadata)
  }
  assert.deepEqual(imagesOf(cluster.pods('web')), ['web:2', 'web:2', 'web:2', 'web:2'])
  assert.deepEqual([statusOf(cluster).updatedReplicas, statusOf(cluster).availableReplicas], [4, 4])
})

test('a rollout whose pods do not come up stands still, and says so', async () => {
  const cluster = await deployed()
  change(cluster, 'web:broken')
  await cluster.after(5_000)
  const { updatedReplicas, availableReplicas, replicas, observedGeneration } = statusOf(cluster)
  assert.deepEqual(
    { updatedReplicas, availableReplicas, replicas, observedGeneration },
    {
      updatedReplicas: 2,
      availableReplicas: 3,
      replicas: 5,
      observedGeneration: 2,
    },
  )
  const conditions = cluster.get(DEPLOYMENTS, 'web').status as { conditions: { type: string; reason: string }[] }
  assert.deepEqual(
    conditions.conditions.map(({ type, reason }) => `${type} ${reason}`),
    ['Available MinimumReplicasAvailable', 'Progressing ReplicaSetUpdated'],
  )
})

test('a template that comes back brings back its ReplicaSet as the newest revision', async () => {
  const cluster = await deployed()
  change(cluster, 'web:2')
  await cluster.settle()
  change(cluster, 'web:1')
  await cluster.settle()
  const sets = cluster
    .all(REPLICA_SETS)
    .map(({ metadata, spec }) => [
      metadata.annotations?.['deployment.kubernetes.io/revision'],
      (spec as { replicas: number }).replicas,
    ])
  assert.deepEqual(sets.toSorted(), [
    ['2', 0],
    ['3', 4],
  ])
  assert.deepEqual(new Set(imagesOf(cluster.pods('web'))), new Set(['web:1']))
})

test('where everything is recreated, the new pods come once the old are gone', async () => {
  const cluster = await deployed({ strategy: { type: 'Recreate' } })
  change(cluster, 'web:2')
  await cluster.after(1_000)
  assert.deepEqual(new Set(imagesOf(cluster.pods('web'))), new Set(['web:1']))
  await cluster.settle()
  assert.deepEqual(imagesOf(cluster.pods('web')), ['web:2', 'web:2', 'web:2', 'web:2'])
})

test('scaled down, pods that are not Ready go first', async () => {
  const cluster = await deployed()
  const [first] = cluster.pods('web')
  assert.ok(first)
  cluster.setReady(first, false)
  cluster.patch(DEPLOYMENTS, 'web', { spec: { replicas: 3 } })
  await cluster.after(200)
  assert.deepEqual(
    cluster
      .pods('web')
      .filter(isGoing)
      .map(({ metadata }) => metadata.name),
    [first.metadata.name],
  )
})

test('a pod is available once it was Ready for as long as is asked for', async () => {
  const cluster = await deployed({ replicas: 1, minReadySeconds: 60 })
  assert.deepEqual([statusOf(cluster).readyReplicas, statusOf(cluster).availableReplicas], [1, undefined])
  await cluster.after(60_000)
  assert.deepEqual([statusOf(cluster).readyReplicas, statusOf(cluster).availableReplicas], [1, 1])
})

test('a pod whose label is taken away is let go and replaced, and taken back with its label', async () => {
  const cluster = await deployed({ replicas: 2 })
  const [pod] = cluster.pods('web')
  assert.ok(pod)
  const hash = pod.metadata.labels?.['pod-template-hash']
  cluster.patch(PODS, pod.metadata.name, { metadata: { labels: { 'pod-template-hash': 'leaving' } } })
  await cluster.settle()
  assert.equal(cluster.pods('web').length, 3)
  assert.equal(cluster.get(PODS, pod.metadata.name).metadata.ownerReferences, undefined)
  cluster.patch(PODS, pod.metadata.name, { metadata: { labels: { 'pod-template-hash': hash } } })
  await cluster.settle()
  assert.equal(cluster.pods('web').length, 2)
})

test('a paused Deployment keeps its template and can be scaled', async () => {
  const cluster = await deployed()
  cluster.patch(DEPLOYMENTS, 'web', { spec: { paused: true, replicas: 5 } })
  await cluster.settle()
  change(cluster, 'web:2')
  await cluster.settle()
  assert.equal(cluster.pods('web').length, 5)
  assert.deepEqual(new Set(imagesOf(cluster.pods('web'))), new Set(['web:1']))
})

test('a pod that loses its labels is let go by its ReplicaSet, stays, and another one is made', async () => {
  const cluster = await deployed()
  const [released] = cluster.pods('web')
  assert.ok(released !== undefined)
  const { name } = released.metadata
  cluster.patch(PODS, name, { metadata: { labels: { app: null, 'pod-template-hash': null, quarantine: 'yes' } } })
  await cluster.settle()
  assert.equal(cluster.pods('web').length, 4)
  const kept = cluster.get<PodObject>(PODS, name)
  assert.deepEqual([kept.metadata.ownerReferences, isGoing(kept), isReady(kept)], [undefined, false, true])
  assert.deepEqual([statusOf(cluster).replicas, statusOf(cluster).readyReplicas], [4, 4])
})

test('scaled down, pods that share a node go before one that has a node to itself', async () => {
  const cluster = await deployed({ replicas: 3 })
  assert.deepEqual(new Set(cluster.placesOf('web')), new Set(['n1', 'n2']))
  cluster.patch(DEPLOYMENTS, 'web', { spec: { replicas: 2 } })
  await cluster.settle()
  assert.deepEqual(cluster.placesOf('web'), ['n1', 'n2'])
})
