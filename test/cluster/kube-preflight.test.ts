import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { isToldByPlan } from '../scenarios/preflight/blocked-by-plan.ts'
import { BUDGET_SITUATIONS } from '../scenarios/preflight/budget-situations.ts'
import { BALANCER_SITUATIONS, NODE_SITUATIONS } from '../scenarios/preflight/node-situations.ts'
import { OTHERS_WORK_SITUATIONS } from '../scenarios/preflight/others-work-situations.ts'
import { PLANE_SITUATIONS } from '../scenarios/preflight/plane-situations.ts'
import { POD_SITUATIONS, ROOM_SITUATIONS } from '../scenarios/preflight/pod-situations.ts'
import { policyRefuses, quotaRefuses } from '../scenarios/preflight/refused-writes.ts'
import { DISRUPTION_ROWS } from '../support/preflight/disruption-rows.ts'
import { budget, replicas } from '../support/preflight/manifests.ts'
import { RealPreflight } from '../support/preflight/real-preflight.ts'
import { requires } from '../support/requires.ts'
import { atNight, describeAtNight } from '../support/roll-bed/at-night.ts'
import { KubeGround } from './kube-ground.ts'

describeAtNight('situations before a roll, on a real API server', requires('testbed'), () => {
  const opened = new KubeGround()
  let ground: RealPreflight

  before(async () => {
    const parts = await opened.open()
    const { bed, raw } = parts
    await bed.kubectl(['wait', '--for=create', 'serviceaccount/default', '--timeout=30s'])
    await raw('POST', '/api/v1/namespaces', { metadata: { name: 'evenkeel' } })
    ground = new RealPreflight(parts)
  })
  after(() => opened.close())

  const SITUATIONS = [
    ...BUDGET_SITUATIONS,
    ...POD_SITUATIONS,
    ...ROOM_SITUATIONS,
    ...PLANE_SITUATIONS,
    ...NODE_SITUATIONS,
    ...OTHERS_WORK_SITUATIONS,
    ...BALANCER_SITUATIONS,
  ]
  atNight('percentages are rounded as the disruption controller rounds them', { timeout: 90_000 }, async () => {
    const objects = replicas('cart', { on: ['n1', 'n2', 'n3'] })
    await ground.bringAbout({ title: '', objects, code: '', says: '', fix: '', exit: 0, explain: '' })
    const budgets = DISRUPTION_ROWS.map(([spec], i) => budget(`b${i}`, 'cart', spec))
    assert.deepEqual(
      await ground.computed(budgets),
      DISRUPTION_ROWS.map(([, expectedPods, desiredHealthy]) => ({ expectedPods, desiredHealthy })),
    )
  })

  atNight('a quota that refuses a pod: its Deployment says so', { timeout: 90_000 }, () => quotaRefuses(ground))
  atNight('a policy that refuses labels says so', { timeout: 90_000 }, () => policyRefuses(ground))

  for (const situation of SITUATIONS) {
    atNight(`${situation.title} (${situation.code}, exit ${situation.exit})`, { timeout: 90_000 }, () =>
      isToldByPlan(ground, situation),
    )
  }
})
