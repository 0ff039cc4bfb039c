import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BalancerDoor, DoorAnswer, OpenBalancerDoor } from './balancer-door.ts'
import { never, onceServer, ref, serverOf } from './server-of.ts'

/** Both servers of `sticky` have passed a check. */
async function opened(door: BalancerDoor): Promise<BalancerDoor> {
  for (const path of ['sticky/a', 'sticky/b']) await onceServer(door, path, ({ check }) => check === 'passing')
  return door
}

/** One request on a connection of its own, with that cookie. */
async function askAs(door: BalancerDoor, cookie?: string): Promise<DoorAnswer | 'closed'> {
  const client = await door.client('sticky')
  const answer = await client.begin('/', cookie).answer()
  client.close()
  return answer
}

const totals = async (door: BalancerDoor): Promise<readonly number[]> => [
  (await serverOf(door, 'sticky/a')).totalSessions,
  (await serverOf(door, 'sticky/b')).totalSessions,
]

const KNOWN = { status: 200, closes: false }

export function cookiesContract(open: OpenBalancerDoor): void {
  test('a client without a cookie is given that of its server; one with it comes back to that server', async (t) => {
    const door = await opened(await open(t, { beside: 'sticky' }))
    assert.deepEqual(await askAs(door), { ...KNOWN, cookie: 'SRV=a' })
    assert.deepEqual(await askAs(door), { ...KNOWN, cookie: 'SRV=b' })
    for (let i = 0; i < 3; i += 1) assert.deepEqual(await askAs(door, 'SRV=b'), KNOWN)
    assert.deepEqual(await totals(door), [1, 4])
  })

  test('a cookie that no server has counts for nothing', async (t) => {
    const door = await opened(await open(t, { beside: 'sticky' }))
    assert.deepEqual(await askAs(door, 'SRV=nope'), { ...KNOWN, cookie: 'SRV=a' })
  })

  test('drain does not keep a client away that knows the server; maint does, and gives it another cookie', async (t) => {
    const door = await opened(await open(t, { beside: 'sticky' }))
    assert.equal((await serverOf(door, 'sticky/a')).persistent, true)
    await door.balancer.setState(ref('sticky/a'), 'drain', never)
    assert.deepEqual(await askAs(door, 'SRV=a'), KNOWN)
    assert.deepEqual(await askAs(door), { ...KNOWN, cookie: 'SRV=b' })
    assert.deepEqual(await totals(door), [1, 1])
    await door.balancer.setState(ref('sticky/a'), 'maint', never)
    assert.deepEqual(await askAs(door, 'SRV=a'), { ...KNOWN, cookie: 'SRV=b' })
    assert.deepEqual(await totals(door), [1, 2])
  })

  test('a client whose server is down is sent to another one', async (t) => {
    const door = await opened(await open(t, { beside: 'sticky' }))
    await door.command('set server sticky/a health down')
    assert.deepEqual(await askAs(door, 'SRV=a'), { ...KNOWN, cookie: 'SRV=b' })
  })
}
