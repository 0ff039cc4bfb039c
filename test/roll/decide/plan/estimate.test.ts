import assert from 'node:assert/strict'
import { test } from 'node:test'
import { estimateRoll } from '../../../../src/roll/decide/plan/estimate.ts'
import type { PlannedNode } from '../../../../src/roll/model/roll-plan.ts'
import { aSpec } from '../../../support/roll-world.ts'

const planned = (node: string, pods: number): PlannedNode => ({
  ...{ node, role: 'worker', address: '', bootId: '', detachFrom: [], stages: [pods] },
  podsToMove: Array.from({ length: pods }, (_, i) => `shop/p${i}`),
})
const plan = { nodes: [planned('n1', 2), planned('n2', 0)] }

test('without a measurement an estimate says by which rule it was made', () => {
  assert.deepEqual(estimateRoll(plan, aSpec({ soakMs: 30_000 }), undefined), {
    ms: 2 * 90_000 + 2 * 5_000,
    basis: '1 min for each reboot, 5 s for each pod and 30 s of soak, since no earlier run here has measured a node',
  })
})

test('an estimate goes by the middle one of the nodes that earlier runs measured', () => {
  const past = { run: '20260101T000000Z-0001', nodeMs: [900_000, 60_000, 80_000] }
  assert.deepEqual(estimateRoll(plan, aSpec(), past), {
    ms: 160_000,
    basis:
      '1 min 20 s each, as the middle one of 3 nodes of earlier runs here took, the last of them 20260101T000000Z-0001',
  })
  assert.match(estimateRoll(plan, aSpec(), { ...past, nodeMs: [60_000] }).basis, /^1 min each, as the one node of/)
})
