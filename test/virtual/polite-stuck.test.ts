import assert from 'node:assert/strict'
import { isReady, type PodObject } from '../../src/sim/actors/pod-object.ts'
import { whoami } from '../../src/sim/cluster/article-workloads.ts'
import { NODES, PODS } from '../../src/sim/world/api-resource.ts'
import { politeRoll } from '../scenarios/polite.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { balancerBefore, smallWorld, WEB } from '../support/virtual-roll/small-world.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'

const test = simulationTest(import.meta.url)

const LIMIT_MS = 3_600_000

test('a pod whose replacement never becomes ready stays, serves, and has its labels back in the end', async () => {
  const cluster = await smallWorld({
    seed: 'stuck',
    nodes: 2,
    darkMs: 500,
    manifests: whoami({ service: 'plain', replicas: 1 }),
    instances: [balancerBefore(WEB)],
  })
  const { store } = cluster.world
  const pods = (): readonly PodObject[] => [...store.all(PODS)] as PodObject[]
  const [before] = pods()
  assert.ok(before)
  const other = cluster.nodes.find((node) => node !== before.spec.nodeName) ?? ''
  const node = store.get(NODES, { name: other })
  assert.ok(node)
  store.put(NODES, { ...node, spec: { ...(node.spec as object), unschedulable: true } })
  const ground = new VirtualGround(cluster)
  const spec = {
    nodes: { names: [before.spec.nodeName] },
    balancers: [{ name: 'lb', instances: [{ name: 'lb-1', socket: '/run/haproxy.sock' }], backends: ['web'] }],
    drain: { polite: [{ selector: 'app=whoami' }], blockedLimit: '20s', stageLimit: '20s' },
  }
  const { code, failed, story } = await cluster.time.settle(politeRoll(ground, spec), LIMIT_MS)
  await cluster.time.advance(2_000)
  assert.deepEqual([code, failed], [3, 0], story)
  assert.match(story, /"action":"releasePod".*\n(?:.*\n)*.*"action":"giveBackPod".*"ok":true/)
  assert.match(
    story,
    /stays and serves: Deployment default\/whoami has 0 ready of 1 recorded; 0\/2 nodes are available/,
  )
  const [after, ...more] = pods()
  assert.deepEqual(more, [])
  assert.deepEqual(
    [after?.metadata.uid, after?.metadata.labels, after?.metadata.ownerReferences?.length, after && isReady(after)],
    [before.metadata.uid, before.metadata.labels, 1, true],
  )
  assert.deepEqual(await leftoversOf(ground), [`${other} taint node.kubernetes.io/unschedulable`, `${other} cordoned`])
  cluster.end()
})
