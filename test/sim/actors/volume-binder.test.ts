import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runVolumeBinder } from '../../../src/sim/actors/volume-binder.ts'
import { VOLUME_CLAIMS, VOLUMES } from '../../../src/sim/world/api-resource.ts'
import { ControlledWorld } from './controlled-world.ts'

const volume = (name: string, storage: string, extra: object = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    storageClassName: 'disk',
    capacity: { storage },
    accessModes: ['ReadWriteOnce'],
    persistentVolumeReclaimPolicy: 'Retain',
    ...extra,
  },
})

const claim = (name: string, storage: string, extra: object = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name },
  spec: { storageClassName: 'disk', accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, ...extra },
})

function bound(): ControlledWorld {
  const cluster = new ControlledWorld([])
  runVolumeBinder(cluster)
  return cluster
}

const volumeOf = (cluster: ControlledWorld, name: string): unknown =>
  (cluster.get(VOLUME_CLAIMS, name).spec as { volumeName?: string }).volumeName

const phases = (cluster: ControlledWorld): readonly unknown[] =>
  cluster.all(VOLUMES).map(({ status }) => (status as { phase: string }).phase)

test('a claim gets the smallest volume that is enough, of its class and its modes', async () => {
  const cluster = bound()
  cluster.apply(volume('large', '10Gi'))
  cluster.apply(volume('small', '500Mi'))
  cluster.apply(volume('middle', '1500Mi'))
  cluster.apply(volume('other', '1Gi', { storageClassName: 'tape' }))
  cluster.apply(volume('readable', '1Gi', { accessModes: ['ReadOnlyMany'] }))
  cluster.apply(claim('one', '1Gi'))
  cluster.apply(claim('two', '1G'))
  cluster.apply(claim('three', '1Gi'))
  await cluster.after(100)
  assert.deepEqual(
    ['one', 'two', 'three'].map((name) => volumeOf(cluster, name)),
    ['middle', 'large', undefined],
  )
  assert.deepEqual(cluster.get(VOLUME_CLAIMS, 'three').status, { phase: 'Pending' })
})

test('a volume that is kept for a claim goes to no other claim', async () => {
  const cluster = bound()
  cluster.apply(volume('kept', '1Gi', { claimRef: { namespace: 'default', name: 'mine' } }))
  cluster.apply(claim('yours', '1Gi'))
  cluster.apply(claim('mine', '1Gi'))
  await cluster.after(100)
  assert.deepEqual([volumeOf(cluster, 'mine'), volumeOf(cluster, 'yours')], ['kept', undefined])
})

test('a volume whose claim is gone is not given to the next, or goes too where it is said so', async () => {
  const cluster = bound()
  cluster.apply(volume('a', '1Gi'))
  cluster.apply(volume('b', '2Gi', { persistentVolumeReclaimPolicy: 'Delete' }))
  cluster.apply(claim('one', '1Gi'))
  cluster.apply(claim('two', '2Gi'))
  await cluster.after(100)
  assert.deepEqual(phases(cluster), ['Bound', 'Bound'])
  for (const name of ['one', 'two'])
    cluster.world.store.remove(VOLUME_CLAIMS, cluster.get(VOLUME_CLAIMS, name).metadata)
  cluster.apply(claim('three', '1Gi'))
  await cluster.after(100)
  assert.deepEqual(phases(cluster), ['Released'])
  assert.equal(volumeOf(cluster, 'three'), undefined)
})
