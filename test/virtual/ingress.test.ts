import assert from 'node:assert/strict'
import { isReady, type PodObject } from '../../src/sim/actors/pod-object.ts'
import { PODS } from '../../src/sim/world/api-resource.ts'
import { cleanRoll } from '../scenarios/clean.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { type ArticleOptions, articleCluster } from '../support/virtual-roll/article-cluster.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'

const test = simulationTest(import.meta.url)

const LIMIT_MS = 3_600_000
const MOVE_MS = 15_000

/** Every pod of `whoami` is deleted in turn, with traffic through an ingress on each node. */
async function lostWhileMoved(service: ArticleOptions['service'] & string): Promise<number> {
  const cluster = await articleCluster({ wayIn: 'ingress', service })
  const ground = new VirtualGround(cluster)
  const moved = async (): Promise<number> => {
    const judge = await ground.judge()
    const pods = [...cluster.world.store.all(PODS)] as PodObject[]
    for (const { metadata } of pods.filter((pod) => pod.metadata.labels?.app === 'whoami' && isReady(pod))) {
      await ground.remove(`/api/v1/namespaces/default/pods/${metadata.name}`)
      await ground.pause(MOVE_MS)
    }
    const { failedRequests, sentRequests } = await judge.verdict()
    assert.ok(sentRequests > 1_000, `${sentRequests} requests`)
    return failedRequests
  }
  const lost = await cluster.time.settle(moved(), LIMIT_MS)
  cluster.end()
  return lost
}

test('through an ingress that tries again, a service that exits at once still loses requests', async () => {
  assert.ok((await lostWhileMoved('plain')) > 0)
})

test('through an ingress, a service that serves on until its ingress has heard loses none', async () => {
  assert.equal(await lostWhileMoved('improved'), 0)
})

test('a roll takes nodes that carry an ingress out without one failed request', async () => {
  const cluster = await articleCluster({ wayIn: 'ingress' })
  const { failedRequests, sentRequests } = await cluster.time.settle(cleanRoll(new VirtualGround(cluster)), LIMIT_MS)
  assert.equal(failedRequests, 0)
  assert.ok(sentRequests > 500, `${sentRequests} requests`)
  cluster.end()
})
