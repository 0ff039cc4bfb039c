import assert from 'node:assert/strict'
import { politeRoll } from '../scenarios/polite.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { articleCluster } from '../support/virtual-roll/article-cluster.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'

const test = simulationTest(import.meta.url)

const POLITE = { polite: [{ selector: 'app=whoami' }] }
const LIMIT_MS = 3_600_000

/** With several pods a request is on its way to the one that exits in some worlds alone. */
const WORLDS = Array.from({ length: 16 }, (_, i) => String(i + 1))

for (const replicas of [1, 5]) {
  const rolled = async (seed: string, spec: { readonly drain?: object }) => {
    const cluster = await articleCluster({ seed, service: 'plain', replicas })
    const roll = await cluster.time.settle(politeRoll(new VirtualGround(cluster), spec), LIMIT_MS)
    cluster.end()
    return roll
  }
  test(`an app that exits at once, with ${replicas} of it, loses requests as it is drained, and none where it leaves politely`, async () => {
    let world: string | undefined
    for (const seed of WORLDS) {
      if ((await rolled(seed, {})).failed > 0) world = seed
      if (world !== undefined) break
    }
    assert.ok(world !== undefined, 'a world in which requests are lost')
    const { code, failed, story } = await rolled(world, { drain: POLITE })
    assert.deepEqual([code, failed], [0, 0], story)
  })
}
