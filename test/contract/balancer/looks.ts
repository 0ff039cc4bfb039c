import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerRef } from '../../../src/service/model/balancer.ts'
import type { BalancerDoor, OpenBalancerDoor } from './balancer-door.ts'
import { askOnce, never, onceProven, ref, statOf } from './server-of.ts'

/** What the table of one server says, by the ids that the whole table gives it. */
async function tableOfOne(door: BalancerDoor, path: string): Promise<readonly string[]> {
  const [proxy, server] = [await statOf(door, path, 'iid'), await statOf(door, path, 'sid')]
  return (await door.command(`show stat ${proxy} 4 ${server}`)).split('\n')
}

/** A look right after a whole reading, with what happens in between. */
async function lookAfter(
  door: BalancerDoor,
  servers: readonly ServerRef[],
  meanwhile: () => Promise<unknown> = async () => undefined,
) {
  const before = await door.balancer.read('lb-1', never)
  await meanwhile()
  return { before, now: await door.balancer.readCounters('lb-1', servers, never) }
}

export function looksContract(open: OpenBalancerDoor): void {
  test('one server of one proxy is reported as in the table of all, and alone', async (t) => {
    const door = await open(t)
    await onceProven(door)
    const [header, row = '', ...rest] = await tableOfOne(door, 'web/b')
    const [allHeader] = (await door.command('show stat -1 4 -1')).split('\n')
    assert.deepEqual([header, row.split(',').slice(0, 2), rest], [allHeader, ['web', 'b'], ['', '']])
  })

  test('ids that no server has are answered with the header alone', async (t) => {
    const door = await open(t)
    const proxy = await statOf(door, 'web/a', 'iid')
    for (const ids of [`${proxy} 4 999`, '999 4 1']) {
      const [header = '', ...rest] = (await door.command(`show stat ${ids}`)).split('\n')
      assert.match(header, /^# pxname,svname,/, ids)
      assert.deepEqual(rest, ['', ''], ids)
    }
  })

  test('a look tells the counters of the servers that it is for, and of others what was read last', async (t) => {
    const door = await open(t)
    await onceProven(door)
    const { before, now } = await lookAfter(door, [ref('web/a')], async () => {
      for (let i = 0; i < 4; i += 1) await askOnce(door)
    })
    const counts = (servers = before.servers): readonly (readonly [string, number])[] =>
      servers
        .filter(({ ref: { backend } }) => backend === 'web')
        .map(({ ref: { server }, totalSessions }) => [server, totalSessions] as const)
    const [a, ...others] = counts()
    assert.deepEqual(counts(now?.servers), [['a', (a?.[1] ?? 0) + 2], ...others])
  })

  test('a look at no server tells that the process is the same', async (t) => {
    const door = await open(t)
    const { before, now } = await lookAfter(door, [])
    assert.deepEqual(now, { ...before, at: now?.at })
  })

  test('a server that is set by hand is seen by the look at it, and not by one at another', async (t) => {
    const door = await open(t)
    await onceProven(door)
    for (const state of ['drain', 'maint', 'ready'] as const) {
      const set = () => door.command(`set server web/a state ${state}`)
      assert.equal((await lookAfter(door, [ref('web/a')], set)).now, undefined, state)
      const other = await lookAfter(door, [ref('web/b')], set)
      assert.equal(other.now?.process, other.before.process, state)
    }
  })

  test('a server that goes down is seen by the looks at it, and so is one that comes up', async (t) => {
    const door = await open(t)
    await onceProven(door)
    for (const [health, operational] of [
      [500, 'down'],
      [200, 'up'],
    ] as const) {
      door.a.sayHealth(health)
      await door.until(`looks to lead to a reading with a ${operational}`, async () => {
        if ((await door.balancer.readCounters('lb-1', [ref('web/a')], never)) !== undefined) return false
        const { servers } = await door.balancer.read('lb-1', never)
        return servers.some(({ ref: { server }, operational: is }) => server === 'a' && is === operational)
      })
    }
  })

  test('another process is seen by any look', async (t) => {
    const door = await open(t)
    for (const servers of [[], [ref('web/a')]])
      assert.equal((await lookAfter(door, servers, () => door.reload())).now, undefined)
  })

  test('after a word of ours the whole is read before a look tells anything', async (t) => {
    const door = await open(t)
    const { now } = await lookAfter(door, [ref('web/a')], () => door.balancer.setState(ref('web/b'), 'drain', never))
    assert.equal(now, undefined)
    assert.equal((await lookAfter(door, [ref('web/a')])).now?.servers[1]?.ownState, 'drain')
  })
}
