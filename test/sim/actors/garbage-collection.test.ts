import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runOwnerGarbageCollector } from '../../../src/sim/actors/owner-garbage-collector.ts'
import { runPodGarbageCollector } from '../../../src/sim/actors/pod-garbage-collector.ts'
import { isGoing } from '../../../src/sim/actors/pod-object.ts'
import { CONFIG_MAPS, NODES, PODS } from '../../../src/sim/world/api-resource.ts'
import { ControlledWorld } from './controlled-world.ts'

const pod = (name: string, nodeName: string, ownerReferences: readonly object[] = []) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ownerReferences },
  spec: { nodeName, containers: [{ name: 'app' }] },
})

const map = (name: string, ownerReferences: readonly object[] = []) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ownerReferences },
})

const ownedBy = (uid: string, name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid })

test('pods of a node that is no more are given up after forty seconds', async () => {
  const cluster = new ControlledWorld(['n1', 'n2'])
  runPodGarbageCollector(cluster)
  cluster.apply(pod('a', 'n1'))
  cluster.apply(pod('b', 'n2'))
  cluster.apply(pod('never', 'n9'))
  cluster.world.store.remove(NODES, cluster.node('n1').metadata)
  const names = () => cluster.pods().map(({ metadata }) => metadata.name)
  await cluster.after(39_000)
  assert.deepEqual(names(), ['a', 'b', 'never'])
  await cluster.after(2_000)
  assert.deepEqual(names(), ['b'])
})

test('a node that is made anew in time keeps its pods', async () => {
  const cluster = new ControlledWorld(['n1'])
  runPodGarbageCollector(cluster)
  cluster.apply(pod('a', 'n1'))
  cluster.world.store.remove(NODES, cluster.node('n1').metadata)
  await cluster.after(30_000)
  cluster.addNode('n1')
  await cluster.after(60_000)
  assert.equal(cluster.pods().length, 1)
})

test('an object whose owner is gone goes too, and after it the objects that it owned', async () => {
  const cluster = new ControlledWorld(['n1'])
  runOwnerGarbageCollector(cluster)
  const top = cluster.apply(map('top'))
  const middle = cluster.apply(map('middle', [ownedBy(top.metadata.uid, 'top')]))
  cluster.apply(pod('leaf', 'n1', [ownedBy(middle.metadata.uid, 'middle')]))
  await cluster.after(1_000)
  assert.equal(cluster.all(CONFIG_MAPS).length, 2)
  cluster.world.store.remove(CONFIG_MAPS, top.metadata)
  await cluster.after(1_000)
  assert.deepEqual(cluster.all(CONFIG_MAPS), [])
  assert.equal(isGoing(cluster.get(PODS, 'leaf')), true, 'with its grace')
})

test('one owner that is left keeps it, and a namesake of the owner is not the owner', async () => {
  const cluster = new ControlledWorld([])
  runOwnerGarbageCollector(cluster)
  const one = cluster.apply(map('one'))
  const two = cluster.apply(map('two'))
  cluster.apply(map('kept', [ownedBy(one.metadata.uid, 'one'), ownedBy(two.metadata.uid, 'two')]))
  cluster.apply(map('lost', [ownedBy('11111111-0000', 'two')]))
  cluster.world.store.remove(CONFIG_MAPS, one.metadata)
  await cluster.after(1_000)
  assert.deepEqual(
    cluster.all(CONFIG_MAPS).map(({ metadata }) => metadata.name),
    ['kept', 'two'],
  )
})
