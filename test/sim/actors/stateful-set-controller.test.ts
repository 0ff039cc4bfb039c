import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isGoing } from '../../../src/sim/actors/pod-object.ts'
import { runStatefulSetController } from '../../../src/sim/actors/stateful-set-controller.ts'
import { runScheduler } from '../../../src/sim/scheduler/scheduler.ts'
import { PODS, STATEFUL_SETS } from '../../../src/sim/world/api-resource.ts'
import { deleteObject } from '../../../src/sim/world/delete-object.ts'
import { ControlledWorld } from './controlled-world.ts'

const statefulSet = (spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db' },
  spec: {
    replicas: 3,
    serviceName: 'db',
    selector: { matchLabels: { app: 'db' } },
    template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'app', image: 'db:1' }] } },
    ...spec,
  },
})

function begun(spec: object = {}): ControlledWorld {
  const cluster = new ControlledWorld(['n1', 'n2', 'n3'])
  for (const run of [runStatefulSetController, runScheduler]) run(cluster)
  cluster.apply(statefulSet(spec))
  return cluster
}

const names = (cluster: ControlledWorld): readonly string[] => cluster.pods('db').map(({ metadata }) => metadata.name)

const going = (cluster: ControlledWorld): readonly string[] =>
  cluster
    .pods('db')
    .filter(isGoing)
    .map(({ metadata }) => metadata.name)

test('in order, each pod waits until the one before is Ready', async () => {
  const cluster = begun()
  await cluster.after(1_000)
  assert.deepEqual(names(cluster), ['db-0'])
  cluster.kubelets()
  await cluster.after(1_000)
  assert.deepEqual(names(cluster), ['db-0', 'db-1'])
  await cluster.settle()
  assert.deepEqual(names(cluster), ['db-0', 'db-1', 'db-2'])
})

test('in parallel, all come at once', async () => {
  const cluster = begun({ podManagementPolicy: 'Parallel' })
  await cluster.after(1_000)
  assert.deepEqual(names(cluster), ['db-0', 'db-1', 'db-2'])
})

test('a pod of the same name comes only when the one before has gone', async () => {
  const cluster = begun()
  await cluster.settle()
  const old = cluster.get(PODS, 'db-1')
  deleteObject(cluster.world, { resource: PODS, old, options: {} })
  await cluster.after(5_000)
  assert.equal(cluster.get(PODS, 'db-1').metadata.uid, old.metadata.uid)
  await cluster.settle()
  assert.notEqual(cluster.get(PODS, 'db-1').metadata.uid, old.metadata.uid)
  assert.equal(cluster.pods('db')[1]?.spec.hostname, 'db-1')
})

test('a pod that was ended for good is made again', async () => {
  const cluster = begun()
  await cluster.settle()
  const { uid } = cluster.get(PODS, 'db-2').metadata
  cluster.patch(PODS, 'db-2', { status: { phase: 'Failed' } })
  await cluster.settle()
  assert.notEqual(cluster.get(PODS, 'db-2').metadata.uid, uid)
})

test('scaled down, the last goes first, one at a time', async () => {
  const cluster = begun()
  await cluster.settle()
  cluster.patch(STATEFUL_SETS, 'db', { spec: { replicas: 1 } })
  await cluster.after(1_000)
  assert.deepEqual(going(cluster), ['db-2'])
  await cluster.settle()
  assert.deepEqual(names(cluster), ['db-0'])
})

test('a new template replaces from the last to the first, each Ready before the next', async () => {
  const cluster = begun({ podManagementPolicy: 'Parallel' })
  await cluster.settle()
  cluster.patch(STATEFUL_SETS, 'db', { spec: { template: { metadata: { labels: { tier: 'new' } } } } })
  await cluster.after(1_000)
  assert.deepEqual(going(cluster), ['db-2'])
  const { currentRevision, updateRevision } = cluster.get(STATEFUL_SETS, 'db').status as Record<string, string>
  assert.notEqual(currentRevision, updateRevision)
  cluster.kubelets()
  await cluster.after(1_000)
  assert.deepEqual(going(cluster), [], 'its replacement is there, and not Ready')
  cluster.kubelets()
  await cluster.after(1_000)
  assert.deepEqual(going(cluster), ['db-1'])
  await cluster.settle()
  const status = cluster.get(STATEFUL_SETS, 'db').status as Record<string, unknown>
  assert.deepEqual([status.currentRevision, status.updatedReplicas], [updateRevision, 3])
})

test('below the partition, and where it is left to people, nothing is replaced', async () => {
  for (const updateStrategy of [{ type: 'RollingUpdate', rollingUpdate: { partition: 3 } }, { type: 'OnDelete' }]) {
    const cluster = begun({ updateStrategy })
    await cluster.settle()
    cluster.patch(STATEFUL_SETS, 'db', { spec: { template: { metadata: { labels: { tier: 'new' } } } } })
    await cluster.after(5_000)
    assert.deepEqual(going(cluster), [])
  }
})
