import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runControllers } from '../../../src/sim/actors/run-controllers.ts'
import { database, edge, whoami } from '../../../src/sim/cluster/article-workloads.ts'
import {
  DAEMON_SETS,
  DEPLOYMENTS,
  DISRUPTION_BUDGETS,
  ENDPOINT_SLICES,
  REPLICA_SETS,
  STATEFUL_SETS,
  VOLUME_CLAIMS,
  VOLUMES,
} from '../../../src/sim/world/api-resource.ts'
import { ControlledWorld } from './controlled-world.ts'

const NODES = ['n1', 'n2', 'n3']

async function aCluster() {
  const cluster = new ControlledWorld(NODES)
  const end = runControllers(cluster)
  for (const manifest of [...whoami({ service: 'improved' }), ...edge(), ...database(NODES)]) cluster.apply(manifest)
  await cluster.settle()
  return { cluster, end }
}

test('the workloads of a real test cluster are placed, spread over its nodes', async () => {
  const { cluster } = await aCluster()
  const perNode = Map.groupBy(cluster.placesOf('whoami'), (node) => node)
  assert.deepEqual([...perNode.values()].map(({ length }) => length).toSorted(), [1, 2, 2])
  assert.deepEqual(cluster.placesOf('edge'), ['n1', 'n2', 'n3'])
  assert.deepEqual(
    cluster.pods('db').map(({ metadata }) => metadata.name),
    ['db-0', 'db-1'],
  )
  assert.equal(new Set(cluster.placesOf('db')).size, 2)
})

test('once their pods are Ready, the numbers of their status are right', async () => {
  const { cluster } = await aCluster()
  const { conditions, ...deployment } = cluster.get(DEPLOYMENTS, 'whoami').status as Record<string, unknown>
  assert.deepEqual(deployment, {
    observedGeneration: 1,
    replicas: 5,
    updatedReplicas: 5,
    readyReplicas: 5,
    availableReplicas: 5,
  })
  assert.deepEqual(
    (conditions as { type: string; status: string; reason: string }[]).map(({ type, status, reason }) => [
      type,
      status,
      reason,
    ]),
    [
      ['Available', 'True', 'MinimumReplicasAvailable'],
      ['Progressing', 'True', 'NewReplicaSetAvailable'],
    ],
  )
  assert.deepEqual(
    cluster.all(REPLICA_SETS).map(({ status }) => status),
    [{ replicas: 5, fullyLabeledReplicas: 5, readyReplicas: 5, availableReplicas: 5, observedGeneration: 1 }],
  )
  assert.deepEqual(cluster.get(DAEMON_SETS, 'edge').status, {
    currentNumberScheduled: 3,
    numberMisscheduled: 0,
    desiredNumberScheduled: 3,
    numberReady: 3,
    observedGeneration: 1,
    updatedNumberScheduled: 3,
    numberAvailable: 3,
  })
  const { currentRevision, updateRevision, ...set } = cluster.get(STATEFUL_SETS, 'db').status as Record<string, unknown>
  assert.equal(currentRevision, updateRevision)
  assert.deepEqual(set, {
    replicas: 2,
    availableReplicas: 2,
    observedGeneration: 1,
    readyReplicas: 2,
    currentReplicas: 2,
    updatedReplicas: 2,
    collisionCount: 0,
  })
  const budget = cluster.get(DISRUPTION_BUDGETS, 'whoami').status as { disruptionsAllowed: number }
  assert.equal(budget.disruptionsAllowed, 1)
})

test('each stateful pod has a volume of its own, in order, and what is left stays free', async () => {
  const { cluster } = await aCluster()
  type Claim = { metadata: { name: string }; spec: { volumeName: string }; status: { phase: string } }
  const claims = cluster.all(VOLUME_CLAIMS) as unknown as readonly Claim[]
  assert.deepEqual(
    claims.map(({ metadata, spec, status }) => [metadata.name, spec.volumeName, status.phase]),
    [
      ['data-db-0', 'data-n1', 'Bound'],
      ['data-db-1', 'data-n2', 'Bound'],
    ],
  )
  assert.deepEqual(
    cluster.all(VOLUMES).map(({ status }) => (status as { phase: string }).phase),
    ['Bound', 'Bound', 'Available'],
  )
  assert.deepEqual(cluster.pods('db')[0]?.spec.volumes, [
    { name: 'data', persistentVolumeClaim: { claimName: 'data-db-0' } },
  ])
})

test('a pod that is deleted with its Deployment, its slices and its budget leaves nothing behind', async () => {
  const { cluster } = await aCluster()
  assert.equal(cluster.all(ENDPOINT_SLICES).length, 3)
  cluster.world.store.remove(DEPLOYMENTS, cluster.get(DEPLOYMENTS, 'whoami').metadata)
  await cluster.settle()
  assert.deepEqual(cluster.all(REPLICA_SETS), [])
  assert.deepEqual(cluster.pods('whoami'), [])
  const slice = cluster.all(ENDPOINT_SLICES).find(({ metadata }) => metadata.name.startsWith('whoami-'))
  assert.deepEqual(slice?.endpoints, [])
})

test('a cluster that was ended plans nothing more', async () => {
  const { cluster, end } = await aCluster()
  end()
  assert.equal(cluster.timers.pending, 0)
})

test('the same beginning has the same end', async () => {
  const seen = async () => JSON.stringify((await aCluster()).cluster.pods())
  assert.equal(await seen(), await seen())
})
