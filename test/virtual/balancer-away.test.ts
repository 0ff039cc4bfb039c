import assert from 'node:assert/strict'
import type { Step } from '../../src/roll/model/step.ts'
import { whoami } from '../../src/sim/cluster/article-workloads.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { balancerBefore, smallWorld, WEB } from '../support/virtual-roll/small-world.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'

const test = simulationTest(import.meta.url)

const LIMIT_MS = 1_800_000
const AWAY_MS = 20_000
const SPEC = {
  nodes: { names: ['n1'] },
  balancers: [{ name: 'lb', instances: [{ name: 'lb-1', socket: '/run/haproxy.sock' }], backends: ['web'] }],
}

for (const step of ['detach', 'drain'] satisfies readonly Step[]) {
  test(`a node that is not rebooted yet is back by itself once its balancer is, which was away for 20 s from ${step} on`, async (t) => {
    const manifests = whoami({ service: 'plain', replicas: 3 })
    const instances = [balancerBefore(WEB)]
    const cluster = await smallWorld({ seed: 'away', nodes: 3, darkMs: 20_000, manifests, instances })
    t.after(() => cluster.end())
    const ground = new VirtualGround(cluster)
    await cluster.time.settle(
      (async () => {
        const roll = await ground.roll(SPEC)
        await roll.untilStep(step, 'n1')
        cluster.balancer.stop()
        await ground.pause(AWAY_MS)
        cluster.balancer.start()
        await roll.until('its end', ({ type }) => type === 'roll.ended')
        roll.interrupt()
        const { story } = await roll.ended()
        const ended = roll.events.find((event) => event.type === 'roll.ended')
        assert.deepEqual(
          [ended?.outcome, ended?.standings.map(({ node, state }) => `${node} ${state}`)],
          ['stopped', ['n1 restored']],
          story,
        )
        assert.deepEqual(await leftoversOf(ground), [])
        for (const { text } of ended?.reasons ?? [])
          assert.match(text, /lb-1 .*: no process listens there, from 00:00:1\dZ to 00:00:3\dZ/)
      })(),
      LIMIT_MS,
    )
  })
}
