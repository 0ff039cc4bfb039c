import assert from 'node:assert/strict'
import { isReady } from '../../src/sim/actors/pod-object.ts'
import { appContainer } from '../../src/sim/cluster/article-workloads.ts'
import { INGRESS_DAEMON_SETS } from '../../src/sim/world/api-resource.ts'
import { type SimulationContext, simulationTest } from '../support/simulation-test.ts'
import { IngressGround } from '../support/virtual-ingress/ingress-ground.ts'
import { anIngressManifest } from '../support/virtual-ingress/ingress-manifests.ts'

const test = simulationTest(import.meta.url)

const GRACE_MS = 5_000

/** `web`, and `api` on the same nodes. */
const apiManifest = (version: string): object =>
  anIngressManifest(
    version,
    {
      podsPerNode: 1,
      selector: { matchLabels: { app: 'api' } },
      template: {
        metadata: { labels: { app: 'api' } },
        spec: { containers: [appContainer({ STOP: 'graceful', GRACE: '1s', VERSION: version }, {}, 8_080)] },
      },
    },
    { name: 'api' },
  )

const isInService = (ground: IngressGround, name: string): boolean => {
  const object = ground.cluster.world.store.get(INGRESS_DAEMON_SETS, { namespace: 'default', name })
  return JSON.stringify(object?.status ?? {}).includes('"type":"Ready","status":"True"')
}

async function twoObjects(t: SimulationContext): Promise<IngressGround> {
  const ground = await IngressGround.open()
  t.after(() => ground.end())
  ground.begin()
  ground.apply(anIngressManifest('v1'))
  ground.apply(apiManifest('v1'))
  await ground.until('both to be in service', () => isInService(ground, 'web') && isInService(ground, 'api'))
  return ground
}

test('a drain gets the pods of both objects of a node, once the agent knows of both claims for their graces', async (t) => {
  const ground = await twoObjects(t)
  ground.cordon('n2', true)
  const cordonedAt = ground.cluster.time.monoMs()
  const left = new Set(ground.pods().filter(({ spec }) => spec.nodeName === 'n2'))
  assert.equal(left.size, 3)
  await ground.until(
    'the pods of n2 to be evicted',
    () => {
      for (const pod of left) if (ground.evict(pod) === 'evicted') left.delete(pod)
      return left.size === 0
    },
    60,
  )
  const tookMs = ground.cluster.time.monoMs() - cordonedAt
  assert.ok(tookMs >= GRACE_MS, `evicted after ${tookMs} ms`)
  ground.cordon('n2', false)
  await ground.until('both to be in service again', () => isInService(ground, 'web') && isInService(ground, 'api'))
  assert.deepEqual(ground.claimed(), [])
})

test('pods of another namespace that bear the labels of an object hold up none of its nodes', async (t) => {
  const ground = await twoObjects(t)
  for (const pod of ground.pods().filter(({ metadata }) => metadata.labels?.app === 'web')) {
    const { name, labels } = pod.metadata
    const { nodeName } = pod.spec
    ground.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'evenkeel', name, labels },
      spec: { nodeName, containers: [appContainer({ VERSION: 'other' })] },
    })
  }
  const foreign = () => ground.pods().filter(({ metadata }) => metadata.namespace === 'evenkeel')
  await ground.until('the foreign pods to run', () => foreign().length === 6 && foreign().every(isReady))
  ground.apply(anIngressManifest('v2'))
  await ground.until('all of web to be of v2', () => {
    const ours = ground.podLines().filter((line) => line.endsWith(' v2'))
    return ours.length === 6 && isInService(ground, 'web')
  })
})
