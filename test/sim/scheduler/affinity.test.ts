import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PodAffinityTerm, PodObject } from '../../../src/sim/actors/pod-object.ts'
import { runScheduler } from '../../../src/sim/scheduler/scheduler.ts'
import { NODES, PODS } from '../../../src/sim/world/api-resource.ts'
import { deleteObject } from '../../../src/sim/world/delete-object.ts'
import { ControlledWorld } from '../actors/controlled-world.ts'

const HOST = 'kubernetes.io/hostname'
const WEB: PodAffinityTerm = { topologyKey: HOST, labelSelector: { matchLabels: { app: 'web' } } }

const pod = (name: string, app: string, terms: readonly PodAffinityTerm[] = []) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app } },
  spec: {
    containers: [{ name: 'app' }],
    ...(terms.length === 0
      ? {}
      : { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } } }),
  },
})

function scheduled(nodes: readonly string[]): ControlledWorld {
  const cluster = new ControlledWorld(nodes)
  runScheduler(cluster)
  return cluster
}

async function placed(cluster: ControlledWorld, manifest: ReturnType<typeof pod>): Promise<string | undefined> {
  cluster.apply(manifest)
  await cluster.after(100)
  return placeOf(cluster, manifest.metadata.name)
}

const placeOf = (cluster: ControlledWorld, name: string): string | undefined =>
  cluster.get<PodObject>(PODS, name).spec.nodeName

const wordsOf = (cluster: ControlledWorld, name: string): string | undefined =>
  cluster.get<PodObject>(PODS, name).status?.conditions?.[0]?.message

test('pods that are not to share a node get one each, and one too many waits and says why', async () => {
  const cluster = scheduled(['n1', 'n2', 'n3'])
  cluster.patch(NODES, 'n3', { spec: { unschedulable: true } })
  assert.deepEqual(
    [await placed(cluster, pod('a', 'web', [WEB])), await placed(cluster, pod('b', 'web', [WEB]))].toSorted(),
    ['n1', 'n2'],
  )
  assert.equal(await placed(cluster, pod('c', 'web', [WEB])), undefined)
  assert.equal(
    wordsOf(cluster, 'c'),
    "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match pod anti-affinity rules. " +
      'no new claims to deallocate, preemption: 0/3 nodes are available: ' +
      '1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.',
  )
})

test('a pod that is placed keeps others away by its own terms, and minutes pass until they notice that it is gone', async () => {
  const cluster = scheduled(['n1'])
  await placed(cluster, pod('alone', 'db', [WEB]))
  assert.equal(await placed(cluster, pod('a', 'web')), undefined)
  assert.match(wordsOf(cluster, 'a') ?? '', /^0\/1 nodes are available: 1 node\(s\) didn't satisfy existing pods anti-/)
  assert.equal(await placed(cluster, pod('b', 'other')), 'n1')
  cluster.world.store.remove(PODS, cluster.get(PODS, 'alone').metadata)
  await cluster.after(299_000)
  assert.equal(placeOf(cluster, 'a'), undefined)
  await cluster.after(32_000)
  assert.equal(placeOf(cluster, 'a'), 'n1')
})

test('a pod that another has kept away is tried again as soon as any node gets another taint', async () => {
  const cluster = scheduled(['n1', 'n2'])
  cluster.patch(NODES, 'n2', { spec: { unschedulable: true } })
  await placed(cluster, pod('alone', 'db', [WEB]))
  assert.equal(await placed(cluster, pod('a', 'web')), undefined)
  cluster.world.store.remove(PODS, cluster.get(PODS, 'alone').metadata)
  await cluster.after(10_000)
  assert.equal(placeOf(cluster, 'a'), undefined)
  cluster.patch(NODES, 'n2', { spec: { taints: [{ key: 'mine', effect: 'NoSchedule' }] } })
  await cluster.after(100)
  assert.equal(placeOf(cluster, 'a'), 'n1')
})

test('a pod that waits to be near others of its kind does not notice that its own labels make it the first of them', async () => {
  const cluster = scheduled(['n1'])
  const near = { topologyKey: HOST, labelSelector: { matchLabels: { app: 'first' } } }
  const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [near] } }
  const { spec, ...manifest } = pod('a', 'web')
  cluster.apply({ ...manifest, spec: { ...spec, affinity } })
  await cluster.after(100)
  assert.match(wordsOf(cluster, 'a') ?? '', /1 node\(s\) didn't match pod affinity rules/)
  cluster.patch(PODS, 'a', { metadata: { labels: { app: 'first' } } })
  await cluster.after(10_000)
  assert.equal(placeOf(cluster, 'a'), undefined)
  cluster.addNode('n2')
  await cluster.after(100)
  assert.ok(placeOf(cluster, 'a'))
})

test('a pod that is on its way out keeps others away until it is gone', async () => {
  const cluster = scheduled(['n1'])
  await placed(cluster, pod('old', 'web', [WEB]))
  cluster.setReady(cluster.get(PODS, 'old'))
  deleteObject(cluster.world, { resource: PODS, old: cluster.get(PODS, 'old'), options: {} })
  assert.equal(await placed(cluster, pod('new', 'web', [WEB])), undefined)
  await cluster.after(10_000)
  assert.equal(placeOf(cluster, 'new'), undefined)
  cluster.kubelets()
  await cluster.after(100)
  assert.deepEqual([cluster.find(PODS, 'old'), placeOf(cluster, 'new')], [undefined, 'n1'])
})

test('a pod that has finished, or that the term no longer selects, keeps no pod away', async () => {
  const cluster = scheduled(['n1'])
  await placed(cluster, pod('a', 'web'))
  assert.equal(await placed(cluster, pod('b', 'web', [WEB])), undefined)
  cluster.patch(PODS, 'a', { status: { phase: 'Succeeded' } })
  await cluster.after(100)
  assert.equal(placeOf(cluster, 'b'), 'n1')
  const other = scheduled(['n1'])
  await placed(other, pod('a', 'web'))
  assert.equal(await placed(other, pod('b', 'web', [WEB])), undefined)
  other.patch(PODS, 'a', { metadata: { labels: { app: 'spared' } } })
  await other.after(100)
  assert.equal(placeOf(other, 'b'), 'n1')
})

test('apart means in another domain, of zones as of nodes; a node without the label is no domain', async () => {
  const cluster = scheduled([])
  for (const [name, labels] of Object.entries({ a1: { zone: 'a' }, a2: { zone: 'a' } })) cluster.addNode(name, labels)
  const zoned: PodAffinityTerm = { ...WEB, topologyKey: 'zone' }
  assert.ok(await placed(cluster, pod('one', 'web', [zoned])))
  assert.equal(await placed(cluster, pod('two', 'web', [zoned])), undefined)
  cluster.addNode('none')
  await cluster.after(100)
  assert.equal(placeOf(cluster, 'two'), 'none')
  assert.equal(await placed(cluster, pod('three', 'web', [zoned])), 'none')
})

const TERMS: readonly (readonly [says: string, change: Partial<PodAffinityTerm>, isApart: boolean])[] = [
  ['a selector of expressions', { labelSelector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] } }, true],
  ['an empty selector, which means all', { labelSelector: {} }, true],
  ['its own namespace by name', { namespaces: ['default'] }, true],
  ['another namespace', { namespaces: ['elsewhere'] }, false],
  ['every namespace', { namespaces: ['elsewhere'], namespaceSelector: {} }, true],
  ['namespaces of a label that none has', { namespaceSelector: { matchLabels: { team: 'x' } } }, false],
]

for (const [says, change, isApart] of TERMS) {
  test(`a term means the pods of ${says}: ${isApart ? 'they are' : 'those here are not'} kept apart`, async () => {
    const cluster = scheduled(['n1'])
    await placed(cluster, pod('a', 'web'))
    assert.equal(await placed(cluster, pod('b', 'db', [{ ...WEB, ...change }])), isApart ? undefined : 'n1')
  })
}

test('a term without a selector means no pod', async () => {
  const cluster = scheduled(['n1'])
  await placed(cluster, pod('a', 'web'))
  assert.equal(await placed(cluster, pod('b', 'web', [{ topologyKey: HOST }])), 'n1')
})
