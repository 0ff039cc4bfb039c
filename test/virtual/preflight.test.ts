import { after, test } from 'node:test'
import { isToldByPlan } from '../scenarios/preflight/blocked-by-plan.ts'
import { BUDGET_SITUATIONS } from '../scenarios/preflight/budget-situations.ts'
import { BALANCER_SITUATIONS, NODE_SITUATIONS } from '../scenarios/preflight/node-situations.ts'
import { OTHERS_WORK_SITUATIONS } from '../scenarios/preflight/others-work-situations.ts'
import { PLANE_SITUATIONS } from '../scenarios/preflight/plane-situations.ts'
import { POD_SITUATIONS, ROOM_SITUATIONS } from '../scenarios/preflight/pod-situations.ts'
import { quotaRefuses } from '../scenarios/preflight/refused-writes.ts'
import { EmbeddedPreflight } from '../support/preflight/embedded-preflight.ts'

const ground = new EmbeddedPreflight()
after(() => ground.end())

const SITUATIONS = [
  ...BUDGET_SITUATIONS,
  ...POD_SITUATIONS,
  ...ROOM_SITUATIONS,
  ...PLANE_SITUATIONS,
  ...NODE_SITUATIONS,
  ...OTHERS_WORK_SITUATIONS,
  ...BALANCER_SITUATIONS,
]

for (const situation of SITUATIONS) {
  test(`before a roll: ${situation.title} (${situation.code}, exit ${situation.exit})`, () =>
    isToldByPlan(ground, situation))
}

test('a quota that refuses a pod: its Deployment says so', () => quotaRefuses(ground))
