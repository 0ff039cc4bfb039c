import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BalancerDoor, OpenBalancerDoor, Pending } from './balancer-door.ts'
import { onceServer, statOf } from './server-of.ts'

/** Both servers of `narrow` are proven, and each holds one request. */
async function filled(door: BalancerDoor): Promise<readonly Pending[]> {
  for (const path of ['narrow/a', 'narrow/b']) await onceServer(door, path, ({ check }) => check === 'passing')
  const held = [(await door.client('narrow')).begin('/hold'), (await door.client('narrow')).begin('/hold')]
  await door.until('both servers to hold one', () => door.a.waiting === 1 && door.b.waiting === 1)
  return held
}

const queueOf = async (door: BalancerDoor): Promise<readonly string[]> =>
  Promise.all(['scur', 'qcur', 'qmax', 'slim', 'econ'].map((column) => statOf(door, 'narrow/a', column)))

export function queuesContract(open: OpenBalancerDoor): void {
  test('a request of a client that knows a full server waits there until another leaves it', async (t) => {
    const door = await open(t, { beside: 'narrow' })
    const held = await filled(door)
    const waiting = (await door.client('narrow')).begin('/', 'SRV=a')
    await door.until('it to wait', async () => (await statOf(door, 'narrow/a', 'qcur')) === '1')
    assert.deepEqual(await queueOf(door), ['1', '1', '1', '1', '0'])
    door.a.release()
    // The balancer begins with the server that came up first, so either of the two may be at this one.
    const released = await Promise.race(held.map((one) => one.answer()))
    assert.deepEqual(
      [released, await waiting.answer()].map((one) => one !== 'closed' && one.status),
      [200, 200],
    )
    assert.deepEqual(await queueOf(door), ['0', '0', '1', '1', '0'])
  })

  test('a request for which no server has room waits beside them, and is refused after `timeout queue`', async (t) => {
    const door = await open(t, { beside: 'narrow' })
    await filled(door)
    const waiting = (await door.client('narrow')).begin('/')
    assert.deepEqual(await waiting.answer(), { status: 503, closes: false })
    assert.deepEqual(await queueOf(door), ['1', '0', '0', '1', '0'])
    const known = (await door.client('narrow')).begin('/', 'SRV=a')
    assert.deepEqual(await known.answer(), { status: 503, closes: false })
    assert.deepEqual(await queueOf(door), ['1', '0', '1', '1', '1'])
  })

  test('a server that is taken out keeps the requests that wait for it, and serves them', async (t) => {
    const door = await open(t, { beside: 'narrow' })
    await filled(door)
    const waiting = (await door.client('narrow')).begin('/', 'SRV=a')
    await door.until('it to wait', async () => (await statOf(door, 'narrow/a', 'qcur')) === '1')
    await door.command('set server narrow/a state maint')
    assert.deepEqual((await queueOf(door)).slice(0, 2), ['1', '1'])
    door.a.release()
    assert.equal(await waiting.answer().then((one) => one !== 'closed' && one.status), 200)
  })

  test('a higher `maxconn` lets in what waits', async (t) => {
    const door = await open(t, { beside: 'narrow' })
    await filled(door)
    const waiting = (await door.client('narrow')).begin('/')
    await door.command('set maxconn server narrow/a 2')
    assert.equal(await waiting.answer().then((one) => one !== 'closed' && one.status), 200)
    assert.equal(await statOf(door, 'narrow/a', 'slim'), '2')
  })
}
