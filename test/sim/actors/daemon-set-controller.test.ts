import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runDaemonSetController } from '../../../src/sim/actors/daemon-set-controller.ts'
import { runNodeTainter } from '../../../src/sim/actors/node-tainter.ts'
import { isGoing, isReady } from '../../../src/sim/actors/pod-object.ts'
import { runScheduler } from '../../../src/sim/scheduler/scheduler.ts'
import { DAEMON_SETS, NODES, PODS } from '../../../src/sim/world/api-resource.ts'
import { deleteObject } from '../../../src/sim/world/delete-object.ts'
import { ControlledWorld } from './controlled-world.ts'

const daemonSet = (spec: object = {}, podSpec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'edge' },
  spec: {
    selector: { matchLabels: { app: 'edge' } },
    template: { metadata: { labels: { app: 'edge' } }, spec: { containers: [{ name: 'app' }], ...podSpec } },
    ...spec,
  },
})

async function begun(manifest: object, nodes = ['n1', 'n2', 'n3']): Promise<ControlledWorld> {
  const cluster = new ControlledWorld(nodes)
  for (const run of [runDaemonSetController, runScheduler, runNodeTainter]) run(cluster)
  cluster.apply(manifest)
  await cluster.settle()
  return cluster
}

const statusOf = (cluster: ControlledWorld) => cluster.get(DAEMON_SETS, 'edge').status as Record<string, number>

test('every node has one pod: a new one gets it, a cordoned one keeps it', async () => {
  const cluster = await begun(daemonSet())
  assert.deepEqual(cluster.placesOf('edge'), ['n1', 'n2', 'n3'])
  cluster.patch(NODES, 'n1', { spec: { unschedulable: true } })
  cluster.addNode('n4')
  await cluster.settle()
  assert.deepEqual(cluster.placesOf('edge'), ['n1', 'n2', 'n3', 'n4'])
  assert.equal(statusOf(cluster).numberReady, 4)
})

test('a pod that is deleted on a cordoned node comes back there, once the old one is gone', async () => {
  const cluster = await begun(daemonSet())
  cluster.patch(NODES, 'n1', { spec: { unschedulable: true } })
  const old = cluster.pods('edge').find(({ spec }) => spec.nodeName === 'n1')
  assert.ok(old)
  deleteObject(cluster.world, { resource: PODS, old, options: {} })
  await cluster.after(5_000)
  assert.equal(cluster.pods('edge').length, 3)
  await cluster.settle()
  assert.deepEqual(cluster.placesOf('edge'), ['n1', 'n2', 'n3'])
  assert.equal(cluster.find(PODS, old.metadata.name), undefined)
})

test('a NoSchedule taint of an operator keeps new pods away and lets the old ones stay', async () => {
  const cluster = await begun(daemonSet())
  cluster.patch(NODES, 'n1', { spec: { taints: [{ key: 'ours', effect: 'NoSchedule' }] } })
  await cluster.settle()
  assert.deepEqual(cluster.placesOf('edge'), ['n1', 'n2', 'n3'])
  assert.deepEqual([statusOf(cluster).desiredNumberScheduled, statusOf(cluster).numberMisscheduled], [3, 0])
  const old = cluster.pods('edge').find(({ spec }) => spec.nodeName === 'n1')
  assert.ok(old)
  deleteObject(cluster.world, { resource: PODS, old, options: {} })
  await cluster.settle()
  assert.deepEqual(cluster.placesOf('edge'), ['n2', 'n3'])
  assert.deepEqual([statusOf(cluster).desiredNumberScheduled, statusOf(cluster).numberMisscheduled], [2, 0])
})

test('only nodes that are meant have a pod, by label and by affinity', async () => {
  const terms = [{ matchExpressions: [{ key: 'gpu', operator: 'DoesNotExist' }] }]
  const affinity = {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
  }
  const cluster = await begun(daemonSet({}, { nodeSelector: { role: 'edge' }, affinity }), [])
  cluster.addNode('n1', { role: 'edge' })
  cluster.addNode('n2', { role: 'edge', gpu: 'yes' })
  cluster.addNode('n3')
  await cluster.settle()
  assert.deepEqual(cluster.placesOf('edge'), ['n1'])
  cluster.patch(NODES, 'n1', { metadata: { labels: { role: 'none' } } })
  await cluster.settle()
  assert.deepEqual(cluster.placesOf('edge'), [])
  assert.equal(statusOf(cluster).desiredNumberScheduled, 0)
})

test('a new template replaces as many at a time as may be missing', async () => {
  const nodes = ['n1', 'n2', 'n3', 'n4', 'n5']
  const cluster = await begun(daemonSet({ updateStrategy: { rollingUpdate: { maxUnavailable: '40%' } } }), nodes)
  cluster.patch(DAEMON_SETS, 'edge', { spec: { template: { metadata: { labels: { version: '2' } } } } })
  for (let round = 0; round < 10; round += 1) {
    await cluster.after(1_000)
    const down = cluster.pods('edge').filter((pod) => isGoing(pod) || !isReady(pod))
    assert.ok(down.length <= 2, `${down.length} at once`)
    cluster.kubelets()
  }
  assert.equal(statusOf(cluster).updatedNumberScheduled, 5)
  assert.ok(cluster.pods('edge').every(({ metadata }) => metadata.labels?.version === '2'))
})

test('where it is left to people, a new template is taken when a pod is deleted', async () => {
  const cluster = await begun(daemonSet({ updateStrategy: { type: 'OnDelete' } }))
  cluster.patch(DAEMON_SETS, 'edge', { spec: { template: { metadata: { labels: { version: '2' } } } } })
  await cluster.settle()
  assert.equal(statusOf(cluster).updatedNumberScheduled, undefined)
  const [old] = cluster.pods('edge')
  assert.ok(old)
  deleteObject(cluster.world, { resource: PODS, old, options: {} })
  await cluster.settle()
  assert.equal(statusOf(cluster).updatedNumberScheduled, 1)
})

test('a pod that failed is made again', async () => {
  const cluster = await begun(daemonSet())
  const [pod] = cluster.pods('edge')
  assert.ok(pod)
  cluster.patch(PODS, pod.metadata.name, { status: { phase: 'Failed' } })
  await cluster.settle()
  assert.deepEqual(cluster.placesOf('edge'), ['n1', 'n2', 'n3'])
  assert.equal(cluster.find(PODS, pod.metadata.name), undefined)
})
