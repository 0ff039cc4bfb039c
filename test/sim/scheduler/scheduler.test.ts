import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runVolumeBinder } from '../../../src/sim/actors/volume-binder.ts'
import { runScheduler } from '../../../src/sim/scheduler/scheduler.ts'
import { NODES, PODS } from '../../../src/sim/world/api-resource.ts'
import { ControlledWorld } from '../actors/controlled-world.ts'

const pod = (name: string, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: 'web' } },
  spec: { containers: [{ name: 'app' }], ...spec },
})

function scheduled(nodes: readonly string[]): ControlledWorld {
  const cluster = new ControlledWorld(nodes)
  runScheduler(cluster)
  return cluster
}

const placeOf = (cluster: ControlledWorld, name: string): string | undefined =>
  cluster.pods().find(({ metadata }) => metadata.name === name)?.spec.nodeName

const wordsOf = (cluster: ControlledWorld, name: string): string | undefined =>
  cluster.pods().find(({ metadata }) => metadata.name === name)?.status?.conditions?.[0]?.message

const PREEMPTION = (nodes: number) =>
  `no new claims to deallocate, preemption: 0/${nodes} nodes are available: ${nodes} Preemption is not helpful for scheduling.`

test('a pod that no node takes waits, with each reason and how many nodes have it', async () => {
  const cluster = scheduled(['n1', 'n2', 'n3'])
  cluster.patch(NODES, 'n1', { spec: { unschedulable: true } })
  cluster.patch(NODES, 'n2', { spec: { taints: [{ key: 'disk', value: 'full', effect: 'NoSchedule' }] } })
  cluster.apply(pod('a', { nodeSelector: { zone: 'x' } }))
  await cluster.after(100)
  assert.equal(
    wordsOf(cluster, 'a'),
    "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, " +
      `1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. ${PREEMPTION(3)}`,
  )
  assert.deepEqual(cluster.pods()[0]?.status?.phase, 'Pending')
})

test('a pod that waits is placed once a node is uncordoned', async () => {
  const cluster = scheduled(['n1'])
  cluster.patch(NODES, 'n1', { spec: { unschedulable: true } })
  cluster.apply(pod('a'))
  await cluster.after(1_000)
  assert.equal(placeOf(cluster, 'a'), undefined)
  cluster.patch(NODES, 'n1', { spec: { unschedulable: null } })
  await cluster.after(100)
  assert.equal(placeOf(cluster, 'a'), 'n1')
  assert.equal(cluster.pods()[0]?.status?.conditions?.[0]?.status, 'True')
})

test('without nodes there is nothing to choose from', async () => {
  const cluster = scheduled([])
  cluster.apply(pod('a'))
  await cluster.after(100)
  assert.equal(wordsOf(cluster, 'a'), 'no nodes available to schedule pods')
})

test('a tolerated taint keeps no pod away, and a node with a PreferNoSchedule taint comes last', async () => {
  const cluster = scheduled(['n1', 'n2'])
  cluster.patch(NODES, 'n1', { spec: { taints: [{ key: 'rather', effect: 'PreferNoSchedule' }] } })
  cluster.patch(NODES, 'n2', { spec: { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] } })
  cluster.apply(pod('a', { tolerations: [{ key: 'gpu', operator: 'Equal', value: 'yes', effect: 'NoSchedule' }] }))
  cluster.apply(pod('b'))
  await cluster.after(100)
  assert.deepEqual([placeOf(cluster, 'a'), placeOf(cluster, 'b')], ['n2', 'n1'])
})

test('required affinity is heeded, by label and by name', async () => {
  const cluster = scheduled(['n1', 'n2'])
  cluster.addNode('n3', { disk: 'fast' })
  const affinity = (term: object) => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } },
  })
  cluster.apply(pod('fast', affinity({ matchExpressions: [{ key: 'disk', operator: 'In', values: ['fast'] }] })))
  cluster.apply(pod('named', affinity({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n2'] }] })))
  cluster.apply(pod('lost', affinity({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n9'] }] })))
  await cluster.after(100)
  assert.deepEqual([placeOf(cluster, 'fast'), placeOf(cluster, 'named')], ['n3', 'n2'])
  assert.equal(
    wordsOf(cluster, 'lost'),
    `0/3 nodes are available: 3 node(s) didn't satisfy plugin(s) [NodeAffinity]. ${PREEMPTION(3)}`,
  )
})

test('a pod waits until its claim is there and bound, and goes where the volume is', async () => {
  const cluster = scheduled(['n1', 'n2'])
  runVolumeBinder(cluster)
  cluster.apply(pod('a', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'mine' } }] }))
  await cluster.after(100)
  assert.equal(wordsOf(cluster, 'a'), '0/2 nodes are available: persistentvolumeclaim "mine" not found. not found')
  cluster.apply({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'mine' },
    spec: { storageClassName: 'disk', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  })
  await cluster.after(100)
  assert.equal(
    wordsOf(cluster, 'a'),
    '0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found',
  )
  const on = { key: 'kubernetes.io/hostname', operator: 'In', values: ['n2'] }
  cluster.apply({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'disk-n2' },
    spec: {
      storageClassName: 'disk',
      capacity: { storage: '2Gi' },
      accessModes: ['ReadWriteOnce'],
      local: { path: '/data' },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [on] }] } },
    },
  })
  await cluster.after(200)
  assert.equal(placeOf(cluster, 'a'), 'n2')
})

test('pods that ask to be spread are, over domains of several nodes too', async () => {
  const cluster = scheduled([])
  for (const [name, zone] of [
    ['a1', 'a'],
    ['a2', 'a'],
    ['b1', 'b'],
  ] as const) {
    cluster.addNode(name, { zone })
  }
  const constraint = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }
  const spread = { topologySpreadConstraints: [{ ...constraint, labelSelector: { matchLabels: { app: 'web' } } }] }
  for (const name of ['p1', 'p2', 'p3', 'p4']) {
    cluster.apply(pod(name, spread))
    await cluster.after(100)
  }
  assert.deepEqual(cluster.placesOf('web'), ['a1', 'a2', 'b1', 'b1'])
})

test('a thousand nodes fill up evenly, a hundred looked at for each pod', async () => {
  const cluster = scheduled(Array.from({ length: 1_000 }, (_, i) => `n${String(i).padStart(4, '0')}`))
  for (let i = 0; i < 2_000; i += 1) cluster.apply(pod(`p${i}`))
  await cluster.after(100)
  const perNode = Map.groupBy(cluster.placesOf('web'), (node) => node)
  assert.equal(perNode.get('-'), undefined)
  assert.ok(perNode.size > 900, `${perNode.size} nodes have a pod`)
  assert.equal([...cluster.world.store.all(PODS)].length, 2_000)
})
