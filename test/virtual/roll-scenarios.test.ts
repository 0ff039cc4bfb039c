import assert from 'node:assert/strict'
import { STEPS } from '../../src/roll/model/step.ts'
import { apiServerRestarted, EVERY_STEP } from '../scenarios/api-restarts.ts'
import { budgetNeverOpens, budgetOpensLater, podUnderTwoBudgets } from '../scenarios/budgets.ts'
import { cleanRoll } from '../scenarios/clean.ts'
import { outageBesideDeadControl, resumedAfterOutage } from '../scenarios/dead-control.ts'
import { killedInEveryStep } from '../scenarios/killed.ts'
import { nodeNeverBack } from '../scenarios/never-back.ts'
import { reloadedInSteps4And5, reloadedInSteps6And7 } from '../scenarios/reloads.ts'
import { volumesFirst } from '../scenarios/stages.ts'
import { Attacher } from '../support/roll-ground/attacher.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import { placesOf } from '../support/roll-ground/node-with.ts'
import type { Judged, RollGround } from '../support/roll-ground/roll-ground.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { articleCluster } from '../support/virtual-roll/article-cluster.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'

const GUARD = 'guard'
const ATTACHMENTS = '/apis/storage.k8s.io/v1/volumeattachments'
const GUARDED = { 'evenkeel.dev/guard': 'storage', app: GUARD }
/** How long after the last volume was detached the budget opens: long enough for the drain to be refused. */
const OPENS_AFTER_MS = 15_000

const guardOn = (node: string): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: GUARD },
  spec: {
    replicas: 1,
    selector: { matchLabels: GUARDED },
    template: {
      metadata: { labels: GUARDED },
      spec: {
        terminationGracePeriodSeconds: 1,
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: onlyOn(node) } },
        containers: [
          {
            name: 'app',
            image: 'testbed.local/app:1',
            imagePullPolicy: 'Never',
            env: [{ name: 'STOP', value: 'immediate' }],
          },
        ],
      },
    },
  },
})

const onlyOn = (node: string): object => ({
  nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] }],
})

const budget = (minAvailable: number): object => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: GUARD },
  spec: { minAvailable, selector: { matchLabels: GUARDED } },
})

/**
 * The pod of a NodeGuard is asked to leave once every other pod has left and no volume is attached any more, which is what its
 * budget waits for. A drain that waited for it before would have waited for ever.
 */
async function guardLeavesLast(ground: RollGround): Promise<void> {
  const attacher = await Attacher.start(ground)
  const node = await attacher.nodeWithVolume()
  await ground.apply([guardOn(node), budget(1)])
  while ((await placesOf(ground, GUARD)).length === 0) await ground.pause(200)
  const before = (await ground.requests()).length
  const roll = await ground.roll({
    nodes: { names: [node] },
    drain: { daemonSets: ['app=edge'], blockedLimit: '2min' },
  })
  const held = roll.until(
    'a hold that names the NodeGuard',
    (event) =>
      event.type === 'hold.started' &&
      event.reasons.some(({ text }) => text.endsWith(`NodeGuard default/storage has not granted ${node} yet`)),
  )
  await roll.untilStep('drain')
  while (await isAttached(ground, node)) await ground.pause(200)
  await ground.pause(OPENS_AFTER_MS)
  await ground.apply([budget(0)])
  await held
  const { code, story } = await roll.ended()
  await attacher.stop()
  assert.equal(code, 0, story)
  assert.deepEqual(await leftoversOf(ground), [])
  assert.deepEqual(await placesOf(ground, GUARD), [node])

  const evictions = (await ground.requests()).slice(before).filter(({ subresource }) => subresource === 'eviction')
  const isGuard = (name = ''): boolean => name.startsWith(GUARD)
  const firstAsked = evictions.findIndex(({ name }) => isGuard(name))
  assert.ok(evictions.slice(0, firstAsked).some(({ name, code: answer }) => name?.startsWith('db-') && answer === 201))
  assert.ok(
    evictions.slice(0, firstAsked).some(({ name, code: answer }) => name?.startsWith('edge-') && answer === 201),
  )
  const codes = evictions.slice(firstAsked).map(({ name, code: answer }) => `${isGuard(name)} ${answer}`)
  assert.deepEqual([...new Set(codes)], ['true 429', 'true 201'], 'once it is asked, no other pod is left to leave')
}

async function isAttached({ list }: RollGround, node: string): Promise<boolean> {
  return (await list(ATTACHMENTS)).some(({ spec }) => spec.nodeName === node)
}

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
