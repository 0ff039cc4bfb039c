import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runAttachDetachController } from '../../../src/sim/actors/attach-detach-controller.ts'
import { runVolumeBinder } from '../../../src/sim/actors/volume-binder.ts'
import { NODES, PODS, VOLUME_ATTACHMENTS } from '../../../src/sim/world/api-resource.ts'
import { ControlledWorld } from './controlled-world.ts'

const pod = (name: string, nodeName: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    nodeName,
    containers: [{ name: 'app' }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'mine' } }],
  },
})

async function withVolume(source: object): Promise<ControlledWorld> {
  const cluster = new ControlledWorld(['n1', 'n2'])
  runVolumeBinder(cluster)
  runAttachDetachController(cluster)
  const size = { storage: '1Gi' }
  cluster.apply({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'disk' },
    spec: { capacity: size, ...source },
  })
  cluster.apply({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'mine' },
    spec: { resources: { requests: size } },
  })
  await cluster.after(100)
  return cluster
}

const CSI = { csi: { driver: 'disks.example.com', volumeHandle: 'vol-1' } }

const attachments = (cluster: ControlledWorld): readonly unknown[] =>
  cluster.all(VOLUME_ATTACHMENTS).map(({ spec, status }) => ({ ...(spec as object), ...(status as object) }))

const removePod = (cluster: ControlledWorld, name: string): void => {
  cluster.world.store.remove(PODS, cluster.get(PODS, name).metadata)
}

test('a volume of a driver is attached where a pod uses it, and detached a while after the last has gone', async () => {
  const cluster = await withVolume(CSI)
  cluster.apply(pod('a', 'n1'))
  cluster.apply(pod('b', 'n1'))
  await cluster.after(2_000)
  const here = {
    attacher: 'disks.example.com',
    nodeName: 'n1',
    source: { persistentVolumeName: 'disk' },
    attached: true,
  }
  assert.deepEqual(attachments(cluster), [here])
  removePod(cluster, 'a')
  await cluster.after(10_000)
  assert.deepEqual(attachments(cluster), [here])
  removePod(cluster, 'b')
  await cluster.after(500)
  assert.deepEqual(attachments(cluster), [here])
  await cluster.after(2_000)
  assert.deepEqual(attachments(cluster), [])
})

test('from a node that is down it is taken after six minutes', async () => {
  const cluster = await withVolume(CSI)
  cluster.apply(pod('a', 'n1'))
  await cluster.after(2_000)
  const volumesInUse = ['kubernetes.io/csi/disks.example.com^vol-1']
  cluster.patch(NODES, 'n1', { status: { volumesInUse, conditions: [{ type: 'Ready', status: 'Unknown' }] } })
  removePod(cluster, 'a')
  await cluster.after(359_000)
  assert.equal(attachments(cluster).length, 1)
  await cluster.after(3_000)
  assert.deepEqual(attachments(cluster), [])
})

test('a disk of the node itself needs no attachment', async () => {
  const cluster = await withVolume({ hostPath: { path: '/data' } })
  cluster.apply(pod('a', 'n1'))
  await cluster.after(2_000)
  assert.deepEqual(attachments(cluster), [])
})

test('what another attacher made stays where it is', async () => {
  const cluster = await withVolume({ hostPath: { path: '/data' } })
  cluster.apply({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: 'by-hand' },
    spec: { attacher: 'other.example.com', nodeName: 'n1', source: { persistentVolumeName: 'disk' } },
  })
  cluster.apply(pod('a', 'n1'))
  await cluster.after(100)
  removePod(cluster, 'a')
  await cluster.after(10_000)
  assert.deepEqual(
    [...cluster.world.store.all(VOLUME_ATTACHMENTS)].map(({ metadata }) => metadata.name),
    ['by-hand'],
  )
})
