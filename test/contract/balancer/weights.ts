import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BalancerDoor, type OpenBalancerDoor, TIMES } from './balancer-door.ts'
import { onceServer, serverOf, statOf } from './server-of.ts'

async function opened(open: OpenBalancerDoor, t: Parameters<OpenBalancerDoor>[0]): Promise<BalancerDoor> {
  const door = await open(t, { beside: 'warming' })
  for (const path of ['warming/a', 'warming/b']) await onceServer(door, path, ({ check }) => check === 'passing')
  return door
}

const weights = async (door: BalancerDoor): Promise<readonly string[]> => [
  await statOf(door, 'warming/a', 'uweight'),
  await statOf(door, 'warming/a', 'weight'),
  await statOf(door, 'warming/a', 'throttle'),
]

export function weightsContract(open: OpenBalancerDoor): void {
  test('a server that begins with its process has its whole weight; out of maint it warms up, and then is up', async (t) => {
    const door = await opened(open, t)
    assert.deepEqual(await weights(door), ['100', '100', ''])
    await door.command('set server warming/a state maint; set server warming/a state ready')
    assert.equal((await serverOf(door, 'warming/a')).operational, 'starting')
    assert.deepEqual(await weights(door), ['100', '7', '6'])
    await door.until('half of its weight', async () => (await statOf(door, 'warming/a', 'weight')) === '57')
    await onceServer(door, 'warming/a', ({ operational }) => operational === 'up')
    assert.deepEqual(await weights(door), ['100', '100', ''])
  })

  test('after it was down a server warms up too, and a weight that is set meanwhile counts in part', async (t) => {
    const door = await opened(open, t)
    door.a.sayHealth(503)
    await onceServer(door, 'warming/a', ({ operational }) => operational === 'down')
    assert.deepEqual(await weights(door), ['100', '100', ''])
    door.a.sayHealth(200)
    await onceServer(door, 'warming/a', ({ operational }) => operational === 'starting')
    await door.command('set server warming/a weight 16')
    const [set, part] = await weights(door)
    assert.deepEqual([set, Number(part) < 16], ['16', true])
    assert.equal((await serverOf(door, 'web/a')).operational, 'up')
  })

  test('a weight that is set in maint counts once the server leaves it', async (t) => {
    const door = await opened(open, t)
    await door.command('set server warming/a state maint; set server warming/a weight 50')
    assert.deepEqual(await weights(door), ['50', '100', ''])
    await door.command('set server warming/a state drain')
    assert.deepEqual(await weights(door), ['50', '4', ''])
    assert.ok(TIMES.interMs < 1_000)
  })

  test('a state file keeps a weight over a reload, which without one is as in the file', async (t) => {
    const door = await opened(open, t)
    await door.command('set server warming/a weight 50')
    await door.reload({ keepsStates: true })
    assert.deepEqual(await weights(door), ['50', '50', ''])
    await door.reload()
    assert.deepEqual(await weights(door), ['100', '100', ''])
  })
}
