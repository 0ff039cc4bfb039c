import assert from 'node:assert/strict'
import { STEPS } from '../../src/roll/model/step.ts'
import { apiServerRestarted, EVERY_STEP } from '../scenarios/api-restarts.ts'
import { budgetNeverOpens, budgetOpensLater, podUnderTwoBudgets } from '../scenarios/budgets.ts'
import { cleanRoll } from '../scenarios/clean.ts'
import { outageBesideDeadControl, resumedAfterOutage } from '../scenarios/dead-control.ts'
import { guardLeavesLast } from '../scenarios/guards.ts'
import { killedInEveryStep } from '../scenarios/killed.ts'
import { nodeNeverBack } from '../scenarios/never-back.ts'
import { reloadedInSteps4And5, reloadedInSteps6And7 } from '../scenarios/reloads.ts'
import { volumesFirst } from '../scenarios/stages.ts'
import type { Judged, RollGround } from '../support/roll-ground/roll-ground.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { articleCluster } from '../support/virtual-roll/article-cluster.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'

const test = simulationTest(import.meta.url)

/** Of virtual time. */
const LIMIT_MS = 3_600_000
const SSH = { configFile: '/etc/ssh/ssh_config', command: ['systemctl', 'reboot'] }

const nothingLost = async (judged: Promise<Judged>): Promise<void> => {
  const { failedRequests, windows, sentRequests } = await judged
  assert.deepEqual([failedRequests, windows], [0, []])
  assert.ok(sentRequests > 500, `${sentRequests} requests`)
}

const SCENARIOS: readonly {
  readonly title: string
  readonly graceSeconds?: number
  readonly darkMs?: number
  readonly run: (ground: RollGround) => Promise<unknown>
}[] = [
  {
    title: 'a whole cluster is rebooted by every step, without one failed request',
    run: (ground) => nothingLost(cleanRoll(ground)),
  },
  {
    title: 'a roll killed in every step and resumed loses no request and reboots each node once',
    run: (ground) => nothingLost(killedInEveryStep(ground)),
  },
  {
    title: 'an API server killed and started again in every step costs no request',
    graceSeconds: 25,
    run: (ground) => {
      assert.deepEqual(EVERY_STEP.flatMap(({ steps }) => steps).toSorted(), STEPS.toSorted())
      const spec = { reboot: { ssh: SSH, resendAfter: '20s', returnLimit: '180s' } }
      return nothingLost(apiServerRestarted(ground, EVERY_STEP, spec))
    },
  },
  {
    title: 'the roll repeats its commands after HAProxy is reloaded in steps 4 and 5, and no request fails',
    run: (ground) => nothingLost(reloadedInSteps4And5(ground)),
  },
  {
    title:
      'the roll repeats its commands after HAProxy is reloaded in steps 6 and 7 within a second; lost requests are attributed to the reload',
    darkMs: 3_000,
    run: (ground) => reloadedInSteps6And7(ground),
  },
  { title: 'a budget at its limit that opens 20 s later is waited for', run: budgetOpensLater },
  { title: 'a budget that never opens is given up at the limit', run: budgetNeverOpens },
  { title: 'a pod under two budgets is given up at the limit', run: podUnderTwoBudgets },
  {
    title: 'a node that never comes back stays out; resume brings it back',
    run: (ground) => nodeNeverBack(ground, { reboot: { ssh: SSH, resendAfter: '10s', returnLimit: '20s' } }),
  },
  {
    title: 'HTTP 503 for 4 s stops a roll whose control has never answered, and no further node is taken',
    run: outageBesideDeadControl,
  },
  { title: 'a run that lost requests, stopped and was resumed to its end is not done', run: resumedAfterOutage },
  { title: 'pods with volumes are gone and their volumes detached before any other pod is evicted', run: volumesFirst },
  { title: 'the pod of a NodeGuard leaves after all others, once its budget has opened', run: guardLeavesLast },
]

for (const { title, run, ...options } of SCENARIOS) {
  test(`in virtual time, ${title}`, async () => {
    const cluster = await articleCluster(options)
    await cluster.time.settle(run(new VirtualGround(cluster)), LIMIT_MS)
    cluster.end()
  })
}
