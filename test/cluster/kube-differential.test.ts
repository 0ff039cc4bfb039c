import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ControlPlane } from '../contract/control/control-plane.ts'
import { compareSequence } from '../differential/api/compare-sequence.ts'
import { drawSequence } from '../differential/api/draw.ts'
import { Findings, findingText } from '../differential/api/findings.ts'
import { realCluster } from '../differential/api/real-cluster.ts'
import { requires } from '../support/requires.ts'

/** By night 2,000 others are drawn. */
const SEEDS = Array.from({ length: 20 }, (_, index) => index)
const BESIDE = 5

describe('the embedded cluster beside a real one', requires('testbed'), () => {
  let real: ControlPlane | undefined
  before(async () => {
    real = await realCluster()
  })
  after(() => real?.close())

  test('drawn sequences of requests have the same answers, objects and events on both', async () => {
    const findings = new Findings()
    const seeds = [...SEEDS]
    const playAll = async (): Promise<void> => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
        assert.ok(real)
        findings.add(await compareSequence(drawSequence(seed), real))
      }
    }
    await Promise.all(Array.from({ length: BESIDE }, playAll))
    assert.deepEqual(findings.byPlace().map(findingText), [], findings.summary())
  })
})
