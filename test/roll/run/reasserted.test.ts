import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { leave, memoryRoll } from '../../support/memory-roll.ts'
import { aServer } from '../../support/roll-world.ts'

const N1 = { instance: 'lb-1', backend: 'web', server: 'n1' }

/** A roll whose first node does not come back from its reboot. */
async function rebooting(t: TestContext) {
  const roll = memoryRoll()
  roll.machine.rebooted = (node) => roll.cluster.change(node, { ready: 'Unknown' })
  const running = roll.begin()
  t.after(() => leave(roll, running))
  await roll.clock.advance(10_000)
  assert.deepEqual([roll.reboots, roll.balancer.state('n1')], [['n1'], 'drain'])
  const reasserted = () => roll.events.flatMap((event) => (event.type === 'reasserted' ? [event.afterMs] : []))
  return { ...roll, reasserted }
}

test('a state that a reload forgot is said again so long after the last reading that showed it, however old the last news is', async (t) => {
  const { clock, balancer, reasserted } = await rebooting(t)
  for (const pauseMs of [7_300, 15_900]) {
    // Nothing changes meanwhile; the balancer is asked five times a second.
    await clock.advance(pauseMs)
    await balancer.setState(N1, 'ready')
    await clock.advance(1_000)
    assert.equal(balancer.state('n1'), 'drain')
  }
  assert.deepEqual(reasserted(), [200, 200])
})

test('a node that is kept out for good is reported with the same measure', async (t) => {
  const { clock, balancer, reasserted, ended } = await rebooting(t)
  await clock.advance(1_000_000)
  assert.deepEqual(ended()?.guarded, ['n1'])
  await balancer.setState(N1, 'ready')
  await clock.advance(1_000)
  assert.deepEqual([balancer.state('n1'), reasserted()], ['drain', [200]])
})

test('a command that fails at first is part of the time', async (t) => {
  const { clock, balancer, reasserted } = await rebooting(t)
  await balancer.setState(N1, 'ready')
  let refusals = 2
  balancer.onState = () => {
    if (refusals-- > 0) throw new WorldError('the socket is closed', { code: 'BALANCER_SILENT', retry: 'backoff' })
  }
  await clock.advance(2_000)
  assert.deepEqual([balancer.state('n1'), reasserted()], ['drain', [400]])
})

test('sessions of a server that was set ready and is taken out anew have their whole idle limit again', async (t) => {
  const roll = memoryRoll({ servers: [aServer('n1', { currentSessions: 1 }), aServer('n2'), aServer('n3')] })
  const running = roll.begin()
  t.after(() => leave(roll, running))
  const cuts = () => roll.events.filter((event) => event.type === 'write' && event.action === 'cutSessions').length
  await roll.clock.advance(170_000)
  await roll.balancer.setState(N1, 'ready')
  await roll.clock.advance(1_000)
  assert.equal(roll.balancer.state('n1'), 'drain')
  await roll.clock.advance(178_000)
  assert.equal(cuts(), 0)
  await roll.clock.advance(4_000)
  assert.notEqual(cuts(), 0)
})
