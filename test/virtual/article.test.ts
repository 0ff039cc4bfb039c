import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ARTICLE_NODES, INGRESS_NODES, WORKERS } from '../../bin/demo/article-nodes.ts'
import { DEMO_PAUSES, scriptHands } from '../../bin/demo/script-hands.ts'
import { runArticleScript } from '../../src/demo/article-script.ts'
import { type DemoPlan, PLAN_DETAILS } from '../../src/demo/demo-plan.ts'
import { wallMs } from '../../src/ground/model/time.ts'
import { database, INGRESS_PORT, ingress, whoami } from '../../src/sim/cluster/article-workloads.ts'
import { VirtualCluster } from '../../src/sim/cluster/virtual-cluster.ts'
import { turnsOfLoop } from '../support/turns-of-loop.ts'
import { settled, virtualRollFile } from '../support/virtual-roll/article-cluster.ts'
import { RollPorts } from '../support/virtual-roll/roll-ports.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'
import { VirtualRoll } from '../support/virtual-roll/virtual-roll.ts'

const LIMIT_MS = 3_600_000
const never = new AbortController().signal

/** What the demo's roll file says, but for its ways to balancer and machines. */
const ROLL = {
  nodes: { all: true, allowUnbalanced: true },
  balancers: [{ name: 'edge', instances: [{ name: 'lb-1', socket: '/run/haproxy.sock' }], backends: ['web'] }],
  drain: {},
  soak: '1s',
  baseline: { duration: '1s' },
}

/** The demo's cluster: three nodes with an ingress, three workers, one balancer. */
async function demoCluster(plan: DemoPlan): Promise<VirtualCluster> {
  const cluster = new VirtualCluster(
    {
      seed: plan,
      startAt: wallMs(Date.UTC(2026, 0, 1)),
      nodes: ARTICLE_NODES,
      darkMs: 1_000,
      manifests: [...whoami({ service: PLAN_DETAILS[plan].service }), ...database(WORKERS), ...ingress()],
      balancer: {
        fronts: [{ backend: 'web', port: 18080, nodePort: INGRESS_PORT, checkPath: '/healthz' }],
        before: INGRESS_NODES,
        check: { interMs: 2_000, fall: 3, rise: 2 },
      },
    },
    turnsOfLoop,
  )
  await settled(cluster)
  return cluster
}

async function carryOut(cluster: VirtualCluster, plan: DemoPlan, ground: VirtualGround): Promise<void> {
  if (plan === 'evenkeel') {
    const { code, story } = await (await ground.roll(ROLL)).ended()
    assert.equal(code, 0, story)
    return
  }
  const { machines, time: clock, nodes, balancer } = cluster
  const { spec } = new VirtualRoll(cluster, virtualRollFile())
  const { cluster: api } = new RollPorts({ cluster, spec, outside: {}, name: 'script' })
  const askBalancer = async (line: string): Promise<string> => balancer.answer(line)
  const hands = scriptHands({ cluster: api, clock, machines, nodes, askBalancer }, never)
  await runArticleScript(hands, { ...PLAN_DETAILS[plan], pauses: DEMO_PAUSES })
}

/** How many requests a plan loses. */
async function lostBy(plan: DemoPlan): Promise<number> {
  const cluster = await demoCluster(plan)
  const ground = new VirtualGround(cluster)
  const judged = async (): Promise<number> => {
    const boots = ground.countBoots()
    const judge = await ground.judge()
    await carryOut(cluster, plan, ground)
    assert.deepEqual(await boots.stop(), Object.fromEntries(cluster.nodes.map((node) => [node, 1])))
    return (await judge.verdict()).failedRequests
  }
  const lost = await cluster.time.settle(judged(), LIMIT_MS)
  cluster.end()
  return lost
}

test('the article’s first plan loses more than its second, and that one some, also through an ingress', async () => {
  const naive = await lostBy('naive')
  const balancer = await lostBy('balancer')
  assert.ok(naive > balancer, `${naive} are more than ${balancer}`)
  assert.ok(balancer > 0, `${balancer} requests`)
})

for (const plan of ['service', 'staged', 'evenkeel'] as const) {
  test(`through an ingress, plan ${plan} loses no request`, async () => {
    assert.equal(await lostBy(plan), 0)
  })
}
