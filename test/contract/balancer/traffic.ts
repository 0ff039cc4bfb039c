import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BalancerDoor, OpenBalancerDoor } from './balancer-door.ts'
import { ask, askOnce, never, onceProven, onceServer, ref, serverOf, statOf } from './server-of.ts'

const OK = { status: 200, closes: false }

/** Only `web/a` is used. */
async function onlyA(door: BalancerDoor): Promise<void> {
  await onceProven(door)
  await door.balancer.setState(ref('web/b'), 'maint', never)
}

const numbersOf = async (door: BalancerDoor, path: string, columns: readonly string[]): Promise<readonly number[]> =>
  Promise.all(columns.map(async (column) => Number(await statOf(door, path, column))))

export function trafficContract(open: OpenBalancerDoor): void {
  test('servers take turns, request by request, also those of one client', async (t) => {
    const door = await open(t)
    await onceProven(door)
    const client = await door.client('web')
    for (let i = 0; i < 4; i += 1) assert.deepEqual(await ask(client), OK)
    assert.equal((await serverOf(door, 'web/a')).totalSessions, 2)
    assert.equal((await serverOf(door, 'web/b')).totalSessions, 2)
  })

  test('in drain what is under way is counted down to nothing, and nothing new comes', async (t) => {
    const door = await open(t)
    await onceProven(door)
    const clients = await Promise.all([door.client('web'), door.client('web')])
    const held = clients.map((client) => client.begin('/hold'))
    await door.until('one request on each', () => door.a.waiting === 1 && door.b.waiting === 1)
    await door.balancer.setState(ref('web/a'), 'drain', never)
    const draining = await serverOf(door, 'web/a')
    assert.deepEqual([draining.currentSessions, draining.totalSessions], [1, 1])
    for (let i = 0; i < 4; i += 1) assert.deepEqual(await askOnce(door), OK)
    assert.equal((await serverOf(door, 'web/a')).totalSessions, 1)
    door.a.release()
    door.b.release()
    for (const pending of held) assert.deepEqual(await pending.answer(), OK)
    await onceServer(door, 'web/a', ({ currentSessions }) => currentSessions === 0)
  })

  test('the first request of a client has a new connection, later ones take what is idle', async (t) => {
    const door = await open(t)
    await onlyA(door)
    const columns = ['connect', 'reuse', 'idle_conn_cur', 'safe_conn_cur']
    const first = await door.client('web')
    await ask(first)
    assert.deepEqual(await numbersOf(door, 'web/a', columns), [1, 0, 1, 0])
    await ask(first)
    assert.deepEqual(await numbersOf(door, 'web/a', columns), [1, 1, 0, 1])
    await ask(await door.client('web'))
    assert.deepEqual(await numbersOf(door, 'web/a', columns), [2, 1, 1, 1])
  })

  test('drain keeps pooled connections, and so does a server that goes down; maint closes them, also where it is down', async (t) => {
    const door = await open(t)
    await onlyA(door)
    await askOnce(door)
    await door.balancer.setState(ref('web/a'), 'drain', never)
    assert.equal((await serverOf(door, 'web/a')).idleConnections, 1)
    await door.command('set server web/a health down')
    assert.equal((await serverOf(door, 'web/a')).idleConnections, 1)
    await door.balancer.setState(ref('web/a'), 'maint', never)
    assert.equal((await serverOf(door, 'web/a')).idleConnections, 0)
  })

  test('what is under way when maint begins ends well, and its connection is pooled until maint is set again', async (t) => {
    const door = await open(t)
    await onlyA(door)
    const held = (await door.client('web')).begin('/hold')
    await door.until('the request to wait', () => door.a.waiting === 1)
    await door.balancer.setState(ref('web/b'), 'ready', never)
    await door.balancer.setState(ref('web/a'), 'maint', never)
    assert.equal((await serverOf(door, 'web/a')).currentSessions, 1)
    assert.deepEqual(await askOnce(door), OK)
    door.a.release()
    assert.deepEqual(await held.answer(), OK)
    const { currentSessions, idleConnections, totalSessions } = await serverOf(door, 'web/a')
    assert.deepEqual([currentSessions, idleConnections, totalSessions], [0, 1, 1])
    await door.balancer.setState(ref('web/a'), 'maint', never)
    const { ownState, idleConnections: left } = await serverOf(door, 'web/a')
    assert.deepEqual([ownState, left], ['maint', 0])
  })

  test('a server that closes behind its answer leaves nothing in the pool, and its client connected', async (t) => {
    const door = await open(t)
    await onlyA(door)
    const client = await door.client('web')
    assert.deepEqual(await ask(client, '/last'), OK)
    assert.equal((await serverOf(door, 'web/a')).idleConnections, 0)
    assert.deepEqual(await ask(client), OK)
  })

  test('without a server in service the answer is 503 at once, and the client stays connected', async (t) => {
    const door = await open(t)
    await onlyA(door)
    await door.balancer.setState(ref('web/a'), 'drain', never)
    const client = await door.client('web')
    assert.deepEqual(await ask(client), { status: 503, closes: false })
    await door.balancer.setState(ref('web/a'), 'ready', never)
    assert.deepEqual(await ask(client), OK)
  })

  test('a server that breaks off costs a first request 502, and a later one its connection', async (t) => {
    const door = await open(t)
    await onlyA(door)
    const client = await door.client('web')
    const breakOff = async (): Promise<unknown> => {
      const held = client.begin('/hold')
      await door.until('the request to wait', () => door.a.waiting === 1)
      door.a.cut()
      return held.answer()
    }
    assert.deepEqual(await breakOff(), { status: 502, closes: false })
    assert.equal(await breakOff(), 'closed')
    assert.deepEqual(await numbersOf(door, 'web/a', ['eresp', 'scur']), [1, 0])
  })

  test('a server that does not answer in time costs 504, and the client stays connected', async (t) => {
    const serverTimeoutMs = 900
    const door = await open(t, { serverTimeoutMs })
    await onlyA(door)
    const client = await door.client('web')
    const startMs = door.nowMs()
    assert.deepEqual(await ask(client, '/hold'), { status: 504, closes: false })
    const took = door.nowMs() - startMs
    assert.ok(took >= serverTimeoutMs - 20 && took <= serverTimeoutMs + 400, `${took} ms`)
    assert.deepEqual(await ask(client), OK)
  })

  test('sessions that are shut down end as if the server had broken them; a client without a request stays', async (t) => {
    const door = await open(t)
    await onlyA(door)
    const [fresh, known, idle] = [await door.client('web'), await door.client('web'), await door.client('web')]
    await ask(known)
    await ask(idle)
    const held = [fresh.begin('/hold'), known.begin('/hold')]
    await door.until('both to wait', () => door.a.waiting === 2)
    await door.balancer.cutSessions(ref('web/a'), never)
    await onceServer(door, 'web/a', ({ currentSessions }) => currentSessions === 0)
    assert.deepEqual([await held[0]?.answer(), await held[1]?.answer()], [{ status: 502, closes: false }, 'closed'])
    assert.deepEqual(await ask(idle), OK)
  })

  test('a client that goes away leaves its request to end by itself', async (t) => {
    const door = await open(t)
    await onlyA(door)
    const client = await door.client('web')
    client.begin('/hold')
    await door.until('the request to wait', () => door.a.waiting === 1)
    client.close()
    const stays = door.nowMs() + 200
    await door.until('some time to pass', () => door.nowMs() > stays)
    assert.equal((await serverOf(door, 'web/a')).currentSessions, 1)
    door.a.release()
    await onceServer(door, 'web/a', ({ currentSessions }) => currentSessions === 0)
    assert.equal((await serverOf(door, 'web/a')).idleConnections, 1)
  })

  test('with http-server-close each answer ends the connection to its server, and the client stays connected', async (t) => {
    const door = await open(t, { beside: 'closing' })
    await onceServer(door, 'closing/a', ({ check }) => check === 'passing')
    const client = await door.client('closing')
    for (let i = 0; i < 2; i += 1) assert.deepEqual(await ask(client), OK)
    assert.equal((await serverOf(door, 'closing/a')).idleConnections, 0)
    assert.deepEqual(await numbersOf(door, 'closing/a', ['connect', 'reuse']), [2, 0])
  })
}
