import assert from 'node:assert/strict'
import { politeRoll } from '../scenarios/polite.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { articleCluster } from '../support/virtual-roll/article-cluster.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'

const test = simulationTest(import.meta.url)

const POLITE = { polite: [{ selector: 'app=whoami' }] }
const LIMIT_MS = 3_600_000

for (const replicas of [1, 5]) {
  test(`an app that exits at once, with ${replicas} of it, loses requests as it is drained, and none where it leaves politely`, async () => {
    for (const polite of [false, true]) {
      const cluster = await articleCluster({ service: 'plain', replicas })
      const { code, failed, story } = await cluster.time.settle(
        politeRoll(new VirtualGround(cluster), polite ? { drain: POLITE } : {}),
        LIMIT_MS,
      )
      cluster.end()
      if (polite) assert.deepEqual([code, failed], [0, 0], story)
      else assert.ok(code === 1 && failed > 0, `exit ${code}, ${failed} failed\n${story}`)
    }
  })
}
