import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { leave, memoryRoll } from '../../support/memory-roll.ts'
import { aServer, aSpec } from '../../support/roll-world.ts'

const address = { kind: 'unix', path: '/run/haproxy.sock' } as const
const instances = ['lb-1', 'lb-2']
const spec = aSpec({
  balancers: [
    {
      name: 'edge',
      instances,
      backends: ['web'],
      allowLastServer: false,
      via: { kind: 'haproxy', instances: instances.map((name) => ({ name, address })) },
    },
  ],
})
const servers = instances.flatMap((instance) =>
  ['n1', 'n2', 'n3'].map((server) => aServer(server, { ref: { instance, backend: 'web', server } })),
)

/** The first node of a roll by two instances is told to reboot, and comes back after 20 s or not at all. */
async function rebooting(t: TestContext, comesBack: boolean) {
  const roll = memoryRoll({ run: { spec }, servers })
  if (!comesBack) roll.machine.rebooted = (node) => roll.cluster.change(node, { ready: 'Unknown' })
  const running = roll.begin()
  t.after(() => leave(roll, running))
  await roll.clock.advance(10_000)
  const states = () => instances.map((instance) => roll.balancer.state('n1', instance))
  /** The states of n1 right after that instance has forgotten its own, and half a second later. */
  const afterReload = async (instance: string) => {
    await roll.balancer.setState({ instance, backend: 'web', server: 'n1' }, 'ready')
    const forgotten = states()
    await roll.clock.advance(500)
    return [forgotten, states()]
  }
  assert.deepEqual([roll.reboots, states()], [['n1'], ['drain', 'drain']])
  return { ...roll, afterReload }
}

test('a node that waits for its proof is kept out of whichever instance reloads: no step of its way back takes it out', async (t) => {
  const { clock, cluster, afterReload } = await rebooting(t, true)
  await clock.advance(12_000)
  assert.equal(cluster.node('n1').heartbeat, 'at boot', 'it is back, and its proof is not complete')
  assert.deepEqual(await afterReload('lb-2'), [
    ['drain', 'ready'],
    ['drain', 'drain'],
  ])
  assert.deepEqual(await afterReload('lb-1'), [
    ['ready', 'drain'],
    ['drain', 'drain'],
  ])
  assert.equal(cluster.node('n1').heartbeat, 'at boot', 'its proof is still not complete')
})

test('a node that did not come back is guarded on each instance after the roll has ended', async (t) => {
  const { clock, ended, afterReload } = await rebooting(t, false)
  await clock.advance(1_000_000)
  assert.deepEqual(ended()?.guarded, ['n1'])
  assert.deepEqual(await afterReload('lb-2'), [
    ['drain', 'ready'],
    ['drain', 'drain'],
  ])
})
