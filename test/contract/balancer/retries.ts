import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OpenBalancerDoor, TIMES } from './balancer-door.ts'
import { ask, never, ref, serverOf, statOf } from './server-of.ts'

const UNAVAILABLE = { status: 503, closes: false }

export function retriesContract(open: OpenBalancerDoor): void {
  test('a server that refuses is tried four times, with a pause between, before the client hears 503', async (t) => {
    const door = await open(t)
    const client = await door.client('dead')
    const startMs = door.nowMs()
    assert.deepEqual(await ask(client), UNAVAILABLE)
    const took = door.nowMs() - startMs
    assert.ok(took >= 3 * TIMES.connectTimeoutMs - 20 && took <= 3 * TIMES.connectTimeoutMs + 500, `${took} ms`)
    const counts = await Promise.all(['stot', 'wretr', 'econ', 'connect'].map((name) => statOf(door, 'dead/d', name)))
    assert.deepEqual(counts, ['4', '3', '1', '4'])
    assert.equal(await client.isOpen(), true)
  })

  test('a server that is silent is tried four times, without a pause behind each limit', async (t) => {
    const door = await open(t, { silent: true })
    const client = await door.client('silent')
    const startMs = door.nowMs()
    const pending = client.begin('/')
    await door.until('the first try', async () => (await statOf(door, 'silent/s', 'scur')) === '1')
    assert.deepEqual(await pending.answer(), UNAVAILABLE)
    const took = door.nowMs() - startMs
    assert.ok(took >= 4 * TIMES.connectTimeoutMs - 20 && took <= 4 * TIMES.connectTimeoutMs + 500, `${took} ms`)
    const counts = await Promise.all(['stot', 'wretr', 'econ'].map((name) => statOf(door, 'silent/s', name)))
    assert.deepEqual(counts, ['4', '3', '1'])
  })

  test('what waits to be tried again is on no server, cannot be cut, and is sent to one in maint all the same', async (t) => {
    const door = await open(t)
    const pending = (await door.client('dead')).begin('/')
    await door.until('the first try', async () => (await statOf(door, 'dead/d', 'stot')) !== '0')
    await door.balancer.setState(ref('dead/d'), 'maint', never)
    await door.balancer.cutSessions(ref('dead/d'), never)
    assert.equal((await serverOf(door, 'dead/d')).currentSessions, 0)
    assert.deepEqual(await pending.answer(), UNAVAILABLE)
    assert.equal((await serverOf(door, 'dead/d')).totalSessions, 4)
  })
}
