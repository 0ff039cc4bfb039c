import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BalancerDoor, OpenBalancerDoor } from './balancer-door.ts'
import { never, onceProven, onceServer, ref, serverOf, statOf } from './server-of.ts'

const statesOf = async (door: BalancerDoor, path: string): Promise<readonly unknown[]> => {
  const { adminState, ownState, inherited, operational } = await serverOf(door, path)
  return [adminState, ownState, inherited, operational]
}

const word = (door: BalancerDoor): Promise<string> => statOf(door, 'follow/a', 'status')

export function trackingContract(open: OpenBalancerDoor): void {
  test('a server that tracks another one is in drain and in maint with it, and ready with it', async (t) => {
    const door = await open(t, { beside: 'follow' })
    await onceProven(door)
    assert.equal(await statOf(door, 'follow/a', 'tracked'), 'web/a')
    assert.deepEqual(await statesOf(door, 'follow/a'), ['ready', 'ready', false, 'up'])
    assert.equal(await word(door), 'UP')
    await door.balancer.setState(ref('web/a'), 'drain', never)
    assert.deepEqual(await statesOf(door, 'follow/a'), ['drain', 'ready', true, 'up'])
    assert.equal(await word(door), 'DRAIN')
    await door.balancer.setState(ref('web/a'), 'maint', never)
    assert.deepEqual(await statesOf(door, 'follow/a'), ['maint', 'ready', true, 'down'])
    assert.equal(await word(door), 'MAINT (via web/a)')
    await door.balancer.setState(ref('web/a'), 'ready', never)
    assert.deepEqual(await statesOf(door, 'follow/a'), ['ready', 'ready', false, 'up'])
  })

  test('what is set on a server that tracks another one holds beside what it follows, and moves the other one not', async (t) => {
    const door = await open(t, { beside: 'follow' })
    await onceProven(door)
    await door.balancer.setState(ref('follow/a'), 'drain', never)
    assert.deepEqual(await statesOf(door, 'web/a'), ['ready', 'ready', false, 'up'])
    await door.balancer.setState(ref('web/a'), 'drain', never)
    assert.deepEqual(await statesOf(door, 'follow/a'), ['drain', 'drain', true, 'up'])
    await door.balancer.setState(ref('web/a'), 'ready', never)
    assert.deepEqual(await statesOf(door, 'follow/a'), ['drain', 'drain', false, 'up'])
    await door.balancer.setState(ref('follow/a'), 'maint', never)
    assert.equal(await word(door), 'MAINT')
    await door.balancer.setState(ref('follow/a'), 'ready', never)
    assert.deepEqual(await statesOf(door, 'follow/a'), ['ready', 'ready', false, 'up'])
  })

  test('a server that tracks another one is up and down with its check, which it has none of', async (t) => {
    const door = await open(t, { beside: 'follow' })
    await onceProven(door)
    assert.deepEqual((await serverOf(door, 'follow/a')).check, 'passing')
    assert.equal(await statOf(door, 'follow/a', 'check_status'), '')
    door.a.sayHealth(503)
    await onceServer(door, 'web/a', ({ operational }) => operational === 'down')
    assert.deepEqual(await statesOf(door, 'follow/a'), ['ready', 'ready', false, 'down'])
    assert.equal(await word(door), 'DOWN')
    const client = await door.client('follow')
    for (let i = 0; i < 2; i += 1) await client.begin('/').answer()
    assert.equal((await serverOf(door, 'follow/a')).totalSessions, 0)
    door.a.sayHealth(200)
    await onceServer(door, 'follow/a', ({ operational }) => operational === 'up')
    assert.equal(
      await door.command('set server follow/a health down'),
      'cannot change health on a tracking server.\n\n',
    )
  })

  test('out of its own maint a server that tracks another one is up where that one is', async (t) => {
    const door = await open(t, { beside: 'follow' })
    await onceProven(door)
    await door.balancer.setState(ref('follow/a'), 'maint', never)
    door.a.sayHealth(503)
    await onceServer(door, 'web/a', ({ operational }) => operational === 'down')
    await door.balancer.setState(ref('follow/a'), 'ready', never)
    assert.deepEqual(await statesOf(door, 'follow/a'), ['ready', 'ready', false, 'down'])
    door.a.sayHealth(200)
    await onceServer(door, 'follow/a', ({ operational }) => operational === 'up')
  })
}
