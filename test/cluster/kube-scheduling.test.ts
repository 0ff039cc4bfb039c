import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ControlPlane } from '../contract/control/control-plane.ts'
import { realPlane } from '../contract/doors/control-planes.ts'
import { drawCluster } from '../differential/scheduling-cluster.ts'
import { compareScheduling, makeClasses } from '../differential/scheduling-compare.ts'
import { requires } from '../support/requires.ts'

/** By night there are many more: `npm run nightly -- placements`. */
const SEEDS = Array.from({ length: 10 }, (_, seed) => seed)

describe('drawn clusters, given to the embedded scheduler and to a real one', requires('testbed'), () => {
  let real: ControlPlane | undefined
  before(async () => {
    real = await realPlane()
    await makeClasses(real)
  })
  after(() => real?.close())

  for (const seed of SEEDS) {
    test(`the same pods wait for the same reasons, and the others are on nodes that both would take: seed ${seed}`, async () => {
      assert.ok(real)
      assert.deepEqual(await compareScheduling(drawCluster(seed), real), [])
    })
  }
})
