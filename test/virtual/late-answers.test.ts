import assert from 'node:assert/strict'
import { isReady, type PodObject } from '../../src/sim/actors/pod-object.ts'
import type { Passage } from '../../src/sim/doors/in-process-api.ts'
import type { ApiRequest } from '../../src/sim/world/api-request.ts'
import { PODS } from '../../src/sim/world/api-resource.ts'
import { serversOf } from '../support/roll-ground/servers-of.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { type ArticleOptions, articleCluster } from '../support/virtual-roll/article-cluster.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'

const test = simulationTest(import.meta.url)

const LIMIT_MS = 3_600_000
const SLOT_MS = 15_000
const SPEC = {
  nodes: { names: ['n1'] },
  slots: { leaseDuration: `${SLOT_MS / 1_000}s` },
  reboot: { ssh: { configFile: '/etc/ssh/ssh_config', command: ['systemctl', 'reboot'] }, returnLimit: '180s' },
}

const isRenewal = ({ method, path }: ApiRequest): boolean => method !== 'GET' && path.endsWith('/evenkeel-slot-0')

async function aGround(
  options: ArticleOptions,
  passageOf: (request: ApiRequest) => Passage = () => ({ kind: 'passes' }),
) {
  const cluster = await articleCluster(options)
  return { cluster, ground: new VirtualGround(cluster, { passageOf }) }
}

/** Long enough for waits of client-go to be long, and of several lengths, since a wait may also end soon after the outage. */
const OUTAGES_MS = [45_000, 60_000, 90_000]
/** On n4 no pod of the database has to leave first, so that those of the app leave while most kube-proxies still wait. */
const OF_FOUR = { nodes: 4, replicas: 8 }

test('after a long outage no pod is evicted before kube-proxies follow again, so that none sends to a pod that is gone', async (t) => {
  for (const awayMs of OUTAGES_MS) {
    const { cluster, ground } = await aGround(OF_FOUR)
    t.after(() => cluster.end())
    await cluster.time.settle(
      (async () => {
        const judge = await ground.judge()
        const roll = await ground.roll({ ...SPEC, nodes: { names: ['n4'] } })
        await roll.untilStep('detach', 'n4')
        await ground.killApiServer()
        await ground.pause(awayMs)
        await ground.startApiServer()
        const { code, story } = await roll.ended()
        assert.equal(code, 0, story)
        assert.equal((await judge.verdict()).failedRequests, 0, `after ${awayMs} ms`)
      })(),
      LIMIT_MS,
    )
  }
})

test('an eviction that was accepted is not sent again while no watch shows it, and the next pod waits for the replacement', async (t) => {
  const { cluster, ground } = await aGround({ service: 'plain', replicas: 6 })
  t.after(() => cluster.end())
  const fewest: number[] = []
  const isOfApp = ({ metadata }: PodObject): boolean => metadata.labels?.app === 'whoami'
  const readyNow = (): number =>
    ([...cluster.world.store.all(PODS)] as PodObject[]).filter(
      (pod) => isOfApp(pod) && isReady(pod) && pod.metadata.deletionTimestamp === undefined,
    ).length
  await cluster.time.settle(
    (async () => {
      const roll = await ground.roll(SPEC)
      await roll.untilStep('detach', 'n1')
      cluster.watchLag.delay(4_000)
      cluster.world.store.subscribe(PODS, ({ object }) => {
        if (isOfApp(object as PodObject)) fewest.push(readyNow())
      })
      const { code, story } = await roll.ended()
      assert.equal(code, 0, story)
    })(),
    LIMIT_MS,
  )
  assert.equal(Math.min(...fewest), 5, 'one pod of the workload leaves at a time')
  const evicted = (await ground.requests()).filter(({ subresource }) => subresource === 'eviction')
  assert.ok(evicted.length > 3)
  assert.equal(new Set(evicted.map(({ name }) => name)).size, evicted.length, 'each pod is evicted once')
})

test('a renewal whose answer is late counts from when it was sent: later than that nothing is sent to a balancer', async (t) => {
  let plan: 'well' | 'late' | 'lost' = 'well'
  let sentAtMs = 0
  const { cluster, ground } = await aGround({ nodes: 2 }, (request) => {
    if (!isRenewal(request) || plan === 'well') return { kind: 'passes' }
    if (plan === 'lost') return { kind: 'refused' }
    plan = 'lost'
    sentAtMs = cluster.time.monoMs()
    return { kind: 'passes', answerLateMs: SLOT_MS / 4 - 100 }
  })
  t.after(() => cluster.end())
  const until = (atMs: number): Promise<void> => ground.pause(atMs - cluster.time.monoMs())
  const stateOfN1 = async () => (await serversOf(ground)).find(({ name }) => name === 'web/n1')?.state
  await cluster.time.settle(
    (async () => {
      cluster.machines.get('n1')?.setLuck({ kind: 'slow', byMs: 60_000 })
      const roll = await ground.roll(SPEC)
      await roll.untilStep('reboot', 'n1')
      await ground.pause(5_000)
      plan = 'late'
      while (sentAtMs === 0) await ground.pause(100)
      const mayActUntilMs = sentAtMs + (SLOT_MS * 2) / 3
      await until(mayActUntilMs - 2_000)
      await ground.reloadBalancer()
      await ground.pause(1_500)
      assert.notEqual(await stateOfN1(), 'ready', 'what a reload forgot is said again while the slot is live')
      await until(mayActUntilMs + 300)
      await ground.reloadBalancer()
      await ground.pause(2_500)
      assert.equal(await stateOfN1(), 'ready', 'nothing is said under a slot that was not renewed')
      plan = 'well'
      await roll.ended()
    })(),
    LIMIT_MS,
  )
})
