import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { leave, memoryRoll } from '../../support/memory-roll.ts'
import { aServer, NEW_BOOT } from '../../support/roll-world.ts'

const SPARE = aServer('s4', { address: '10.0.0.44', port: 30080 })
const N1 = aServer('n1')

/** A roll that has told n1 to reboot; the machine is off until `comeBack`. */
async function off(t: TestContext) {
  const roll = memoryRoll({ run: { order: ['n1'] }, servers: [N1, aServer('n2'), aServer('n3'), SPARE] })
  const { machine, cluster, clock } = roll
  machine.rebooted = (node) => cluster.change(node, { ready: 'Unknown' })
  const running = roll.begin()
  t.after(() => leave(roll, running))
  await clock.advance(10_000)
  assert.deepEqual([roll.reboots, roll.balancer.state('n1')], [['n1'], 'drain'])
  const comeBack = async (): Promise<void> => {
    cluster.change('n1', { ready: 'True', bootId: NEW_BOOT, heartbeat: 'at boot' })
    await clock.advance(5_000)
    cluster.change('n1', { heartbeat: 'after it' })
    await clock.advance(60_000)
  }
  const held = () => roll.events.findLast((event) => event.type === 'hold.started')
  return { ...roll, comeBack, held }
}

test('a slot that gets the address of a node that is off is taken out within a second, and serves again with it', async (t) => {
  const { balancer, clock, comeBack, ended } = await off(t)
  balancer.change(SPARE.ref, { address: N1.address })
  await clock.advance(1_000)
  assert.deepEqual([balancer.state('n1'), balancer.state('s4')], ['drain', 'drain'])
  await comeBack()
  assert.deepEqual([balancer.state('n1'), balancer.state('s4'), ended()?.outcome], ['ready', 'ready', 'completed'])
})

test('law: a server is known by the address that it leads to, whatever its name is by now; a slot in the place of the one that was taken out is put back for it', async (t) => {
  const { balancer, clock, comeBack, ended } = await off(t)
  balancer.change(N1.ref, { address: '10.0.0.44', adminState: 'ready', ownState: 'ready' })
  balancer.change(SPARE.ref, { address: N1.address })
  await clock.advance(1_000)
  assert.deepEqual([balancer.state('n1'), balancer.state('s4')], ['ready', 'drain'])
  await comeBack()
  assert.deepEqual([balancer.state('n1'), balancer.state('s4'), ended()?.outcome], ['ready', 'ready', 'completed'])
})

test('a slot that the roll took out and that leads elsewhere by now is named until somebody puts it back', async (t) => {
  const { balancer, clock, comeBack, held, ended } = await off(t)
  balancer.change(N1.ref, { address: '10.0.0.44' })
  balancer.change(SPARE.ref, { address: N1.address })
  await clock.advance(1_000)
  await comeBack()
  assert.deepEqual([balancer.state('n1'), ended()], ['drain', undefined])
  assert.match(
    JSON.stringify(held()),
    /web\/n1 on lb-1 leads to 10\.0\.0\.44:30080 now, and is in drain still, to which this roll set it/,
  )
  await balancer.setState(N1.ref, 'ready')
  await clock.advance(1_000)
  assert.deepEqual([balancer.state('s4'), ended()?.outcome], ['ready', 'completed'])
})

test('such a slot that has no address by now is named as that', async (t) => {
  const { balancer, clock, comeBack, held } = await off(t)
  balancer.change(N1.ref, { address: '' })
  balancer.change(SPARE.ref, { address: N1.address })
  await clock.advance(1_000)
  await comeBack()
  assert.match(JSON.stringify(held()), /web\/n1 on lb-1 has no address now, and is in drain still/)
})

test('a roll that waits in vain for such a slot ends held, and leaves the node in service', async (t) => {
  const { balancer, clock, comeBack, ended } = await off(t)
  balancer.change(N1.ref, { address: '10.0.0.44' })
  balancer.change(SPARE.ref, { address: N1.address })
  await clock.advance(1_000)
  await comeBack()
  await clock.advance(320_000)
  const { outcome, reasons = [], standings = [] } = ended() ?? {}
  assert.deepEqual(
    [
      outcome,
      reasons.map(({ code }) => code),
      standings.map(({ node, state }) => `${node} ${state}`),
      balancer.state('s4'),
    ],
    ['held', ['ServerLedElsewhere'], ['n1 inService'], 'ready'],
  )
})
