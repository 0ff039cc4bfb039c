import assert from 'node:assert/strict'
import type { Step } from '../../src/roll/model/step.ts'
import type { BalancerConfig } from '../../src/sim/balancer/balancer-config.ts'
import { whoami } from '../../src/sim/cluster/article-workloads.ts'
import type { VirtualCluster } from '../../src/sim/cluster/virtual-cluster.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import { type SimulationContext, simulationTest } from '../support/simulation-test.ts'
import { balancerBefore, smallWorld, WEB } from '../support/virtual-roll/small-world.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'

const test = simulationTest(import.meta.url)

const LIMIT_MS = 1_800_000
const OUT_WITHIN_MS = 1_000
/** Before the reboot is announced, a reload that has checked no other server takes none out. */
const FIRST_CHECK_MS = 2_000
const SPEC = {
  nodes: { names: ['n1'] },
  balancers: [{ name: 'lb', instances: [{ name: 'lb-1', socket: '/run/haproxy.sock' }], backends: ['web'] }],
}

/** Each server has the address that the next one had. */
const renamed = (config: BalancerConfig): BalancerConfig => ({
  ...config,
  backends: config.backends.map((backend) => ({
    ...backend,
    servers: backend.servers.map((server, at, { length }) => ({
      ...server,
      address: backend.servers[(at + 1) % length]?.address ?? '',
    })),
  })),
})

/** A second server of another name at each address. */
const doubled = (config: BalancerConfig): BalancerConfig => ({
  ...config,
  backends: config.backends.map((backend) => ({
    ...backend,
    servers: backend.servers.flatMap((server) => [server, { ...server, name: `${server.name}-again` }]),
  })),
})

async function aGround(t: SimulationContext) {
  const manifests = whoami({ service: 'plain', replicas: 3 })
  const cluster = await smallWorld({
    seed: 'renamed',
    nodes: 3,
    darkMs: 20_000,
    manifests,
    instances: [balancerBefore(WEB)],
  })
  t.after(() => cluster.end())
  return { cluster, ground: new VirtualGround(cluster) }
}

/** Of the servers at this address. */
const statesAt = (address: string | undefined, { balancer }: VirtualCluster): readonly string[] =>
  balancer.state.servers.filter(({ config }) => config.address === address).map(({ admin }) => admin)

test('a server that a reload gives another name is kept out by its address in each step, and put back under that name', async (t) => {
  const { cluster, ground } = await aGround(t)
  const address = cluster.balancer.state.servers.find(({ config }) => config.name === 'n1')?.config.address
  await cluster.time.settle(
    (async () => {
      const roll = await ground.roll(SPEC)
      for (const step of ['detach', 'drain', 'reboot', 'proof', 'settle'] satisfies readonly Step[]) {
        await roll.untilStep(step, 'n1')
        await ground.pause(50)
        cluster.balancer.reload({ config: renamed(cluster.balancer.state.config) })
        await ground.pause(OUT_WITHIN_MS + (step === 'detach' ? FIRST_CHECK_MS : 0))
        assert.deepEqual(statesAt(address, cluster), ['drain'], `out again in ${step}`)
      }
      await roll.ended()
      const ended = roll.events.find((event) => event.type === 'roll.ended')
      assert.deepEqual(
        ended?.standings.map(({ node, state }) => `${node} ${state}`),
        ['n1 inService'],
      )
      // Between a reload and the next reading the machine is off.
      for (const { text } of ended?.reasons ?? [])
        assert.match(text, /lb-1 was reloaded .* and had n1 in service again/)
      assert.deepEqual(await leftoversOf(ground), [])
    })(),
    LIMIT_MS,
  )
})

test('a server that came to be beside the recorded one and was set out is put back by the process that resumes', async (t) => {
  const { cluster, ground } = await aGround(t)
  const address = cluster.balancer.state.servers.find(({ config }) => config.name === 'n1')?.config.address
  await cluster.time.settle(
    (async () => {
      const roll = await ground.roll(SPEC)
      await roll.untilStep('drain', 'n1')
      cluster.balancer.reload({ config: doubled(cluster.balancer.state.config) })
      await ground.pause(OUT_WITHIN_MS)
      assert.deepEqual(statesAt(address, cluster), ['drain', 'drain'])
      await roll.kill()
      const resumed = await ground.resume()
      await resumed.ended()
      assert.deepEqual(statesAt(address, cluster), ['ready', 'ready'])
      assert.deepEqual(await leftoversOf(ground), [])
    })(),
    LIMIT_MS,
  )
})
