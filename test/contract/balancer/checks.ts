import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerReading } from '../../../src/service/model/balancer.ts'
import { type BalancerDoor, type OpenBalancerDoor, TIMES } from './balancer-door.ts'
import { durationUntil, never, onceProven, onceServer, ref, serverOf, statOf } from './server-of.ts'

const { interMs, fall, rise } = TIMES
/** A machine that is busy is late, and never early: what may be late is given this much. */
const LATE_MS = 2 * interMs
/** Timers count whole milliseconds, and a look takes some. */
const EARLY_MS = 20

function within(took: number, lowestMs: number, highestMs: number): void {
  assert.ok(took >= lowestMs - EARLY_MS && took <= highestMs + LATE_MS, `${took} ms, not ${lowestMs} to ${highestMs}`)
}

const isDown = async (door: BalancerDoor): Promise<boolean> => (await serverOf(door, 'web/a')).operational === 'down'

/**
 * HAProxy counts a check's end before it tells the state's change: a look between the two finds a server that is up with
 * nothing left of its health, or one that is down with all of it.
 */
const BETWEEN: readonly string[] = [`UP ${1 - rise}/${fall}`, `DOWN ${rise + fall - 1}/${rise}`]

/** Every word that `status` shows on the way to the last one. */
async function wordsUntil(door: BalancerDoor, last: string): Promise<readonly string[]> {
  const words: string[] = []
  await door.until(`the status to be ${last}`, async () => {
    const word = await statOf(door, 'web/a', 'status')
    if (word !== words.at(-1) && !BETWEEN.includes(word)) words.push(word)
    return word === last
  })
  return words
}

export function checksContract(open: OpenBalancerDoor): void {
  test('a server is up, and passes nothing, before its first check has ended', async (t) => {
    const door = await open(t, { health: 'hang' })
    const { operational, check } = await serverOf(door, 'web/a')
    assert.deepEqual([operational, check], ['up', 'failing'])
    assert.equal(await statOf(door, 'web/a', 'status'), 'UP 1/3')
  })

  test('the first failure of a server that was never checked takes it down', async (t) => {
    const door = await open(t, { health: 503 })
    within(await durationUntil(door, 'the server to be down', () => isDown(door)), 0, interMs)
    assert.equal((await serverOf(door, 'web/a')).checkText, 'L7STS/503')
  })

  test('one pass proves a server that begins', async (t) => {
    const door = await open(t)
    await onceProven(door)
    const { operational, check, checkText } = await serverOf(door, 'web/a')
    assert.deepEqual([operational, check], ['up', 'passing'])
    assert.match(checkText, /^L7OK(\/200)?$/)
  })

  test('a server leaves after `fall` failures and comes back after `rise` passes, each word in turn', async (t) => {
    const door = await open(t)
    await onceProven(door)
    door.a.sayHealth(503)
    const startMs = door.nowMs()
    assert.deepEqual(await wordsUntil(door, 'DOWN'), ['UP', 'UP 2/3', 'UP 1/3', 'DOWN'])
    within(door.nowMs() - startMs, (fall - 1) * interMs, fall * interMs)

    door.a.sayHealth(200)
    const backMs = door.nowMs()
    assert.deepEqual(await wordsUntil(door, 'UP'), ['DOWN', 'DOWN 1/2', 'UP'])
    within(door.nowMs() - backMs, (rise - 1) * interMs, rise * interMs)
    assert.equal(await statOf(door, 'web/a', 'chkdown'), '1')
  })

  test('one failure less than `fall` is forgotten by one pass', async (t) => {
    const door = await open(t)
    await onceProven(door)
    door.a.sayHealth(503)
    await wordsUntil(door, 'UP 1/3')
    door.a.sayHealth(200)
    assert.deepEqual(await wordsUntil(door, 'UP'), ['UP 1/3', 'UP'])
  })

  test('silence is found out later: each check is given `inter` for its answer, and the next begins after it', async (t) => {
    const door = await open(t)
    await onceProven(door)
    door.a.sayHealth('hang')
    const took = await durationUntil(door, 'the server to be down', () => isDown(door))
    within(took, (2 * fall - 1) * interMs, 2 * fall * interMs)
    assert.equal((await serverOf(door, 'web/a')).checkText, 'L7TOUT')
  })

  test('a connection that is refused, or closed without an answer, is a failed check by its name', async (t) => {
    const door = await open(t)
    await onceProven(door)
    door.a.sayHealth('break')
    await onceServer(door, 'web/a', ({ operational }) => operational === 'down')
    assert.equal((await serverOf(door, 'web/a')).checkText, 'L7RSP')
    await door.a.stop()
    await onceServer(door, 'web/a', ({ checkText }) => checkText === 'L4CON')
  })

  const isInDrain = ({ adminState, operational }: ServerReading): boolean =>
    adminState === 'drain' && operational === 'up'

  test('checks go on in drain, and the state of the server with them', async (t) => {
    const door = await open(t)
    await onceProven(door)
    await door.balancer.setState(ref('web/a'), 'drain', never)
    // On a busy machine a check may come too late, and the next one passes.
    await onceServer(door, 'web/a', (server) => isInDrain(server) && server.check === 'passing')
    door.a.sayHealth(503)
    await onceServer(door, 'web/a', (server) => server.operational === 'down')
    assert.equal((await serverOf(door, 'web/a')).adminState, 'drain')
    door.a.sayHealth(200)
    await onceServer(door, 'web/a', isInDrain)
  })

  test('in maint no check runs, and the server counts as down', async (t) => {
    const door = await open(t)
    await onceProven(door)
    await door.balancer.setState(ref('web/a'), 'maint', never)
    const { operational, check, checkText } = await serverOf(door, 'web/a')
    assert.deepEqual([operational, check, checkText], ['down', 'failing', 'checks are paused'])
    assert.deepEqual(
      [await statOf(door, 'web/a', 'check_status'), await statOf(door, 'web/a', 'check_health')],
      ['', ''],
    )
  })

  test('out of maint a dead server is up until its next check, one failure of which takes it down', async (t) => {
    const door = await open(t)
    await onceProven(door)
    await door.balancer.setState(ref('web/a'), 'maint', never)
    door.a.sayHealth(503)
    await door.balancer.setState(ref('web/a'), 'ready', never)
    const { operational, check } = await serverOf(door, 'web/a')
    assert.deepEqual([operational, check], ['up', 'failing'])
    within(await durationUntil(door, 'the server to be down', () => isDown(door)), 0, interMs)
  })

  test('out of maint by way of drain and `health down` a server is down until `rise` checks passed', async (t) => {
    const door = await open(t)
    await onceProven(door)
    await door.balancer.setState(ref('web/a'), 'maint', never)
    await door.balancer.setState(ref('web/a'), 'drain', never)
    const back = await serverOf(door, 'web/a')
    assert.deepEqual([back.adminState, back.operational, back.check], ['drain', 'down', 'failing'])
    const took = await durationUntil(door, 'the server to be proven', async () => {
      const { check, operational } = await serverOf(door, 'web/a')
      assert.equal(check === 'passing', operational === 'up')
      return check === 'passing'
    })
    within(took, (rise - 1) * interMs, rise * interMs)
  })

  test('health that was set by hand holds until a check says otherwise', async (t) => {
    const door = await open(t)
    await onceProven(door)
    await door.command('set server web/a health stopping')
    assert.equal((await serverOf(door, 'web/a')).operational, 'stopping')
    await onceServer(door, 'web/a', ({ operational }) => operational === 'up')
    await door.command('set server dead/d health down')
    assert.equal((await serverOf(door, 'dead/d')).operational, 'down')
    await door.command('set server dead/d state maint; set server dead/d state ready')
    assert.equal((await serverOf(door, 'dead/d')).operational, 'up')
  })

  test('a check with a port of its own asks there, and says nothing of the port that traffic goes to', async (t) => {
    const door = await open(t, { beside: 'aside' })
    await onceServer(door, 'aside/a', ({ check }) => check === 'passing')
    door.b.sayHealth(503)
    await onceServer(door, 'aside/a', ({ operational }) => operational === 'down')
    assert.equal((await serverOf(door, 'web/a')).operational, 'up')
    door.b.sayHealth(200)
    await onceServer(door, 'aside/a', ({ operational }) => operational === 'up')
    const client = await door.client('aside')
    assert.deepEqual(await client.begin('/').answer(), { status: 200, closes: false })
  })
}
