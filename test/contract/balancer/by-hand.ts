import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OpenBalancerDoor } from './balancer-door.ts'
import { askOnce, onceProven, serverOf, statOf } from './server-of.ts'

/** What people type wrong, with what they read. */
const REFUSALS = [
  ['get weight web/nope', 'No such server.\n'],
  ['get weight', "Require 'backend/server'.\n"],
  ['set weight web/a', 'Require <weight> or <weight%>.\n'],
  ['set weight web/a -1', 'Absolute weight can only be between 0 and 256 inclusive.\n'],
  ['set weight web/a 257', 'Absolute weight can only be between 0 and 256 inclusive.\n'],
  ['set weight web/a -5%', 'Relative weight must be positive.\n'],
  ['set server web/a weight 5x', 'Trailing garbage in weight string'],
  ['set server web/a weight abc', 'Empty weight string empty or preceded by garbage'],
  ['set maxconn server web/a', 'Require <maxconn>.\n'],
  ['set maxconn server web/a x', 'maxconn string empty or preceded by garbage'],
  ['set maxconn server web/a 1x', 'Trailing garbage in maxconn string'],
  ['disable server web', "Require 'backend/server'.\n"],
  ['enable server web/nope', 'No such server.\n'],
  ['enable health dead/d', 'Health check was not configured on this server, cannot enable.\n'],
  ['enable agent web/a', 'Agent was not configured on this server, cannot enable.\n'],
  ['set server web/a agent up', 'agent checks are not enabled on this server.\n'],
  ['disable frontend', 'A frontend name is expected.\n'],
  ['enable frontend nope', 'No such frontend.\n'],
  ['enable frontend front', 'All sockets are already enabled.\n'],
  ['show servers state nope', "Can't find backend.\n"],
  ['show servers conn nope', "Can't find backend.\n"],
  ['show stat nope 4 -1', 'No such proxy.\n'],
] as const

export function handsContract(open: OpenBalancerDoor): void {
  test('what people type wrong is refused in words, and changes nothing', async (t) => {
    const door = await open(t)
    await onceProven(door)
    const before = await door.command('get weight web/a')
    for (const [line, words] of REFUSALS) assert.equal(await door.command(line), `${words}\n`, line)
    assert.equal(before, '1 (initial 1)\n\n')
    assert.equal(await door.command('get weight web/a'), before)
    assert.equal(await statOf(door, 'web/a', 'status'), 'UP')
  })

  test('`disable server` is maint, and `enable server` takes a server out of maint and of drain', async (t) => {
    const door = await open(t)
    await onceProven(door)
    assert.equal(await door.command('disable server web/a'), '\n')
    assert.deepEqual(
      [(await serverOf(door, 'web/a')).adminState, await statOf(door, 'web/a', 'chkdown')],
      ['maint', '1'],
    )
    assert.equal(await door.command('enable server web/a'), '\n')
    assert.equal((await serverOf(door, 'web/a')).adminState, 'ready')
    await door.command('set server web/a state drain; enable server web/a')
    assert.equal((await serverOf(door, 'web/a')).adminState, 'ready')
  })

  test('without its check a server stays as it is; with it again the next check counts', async (t) => {
    const door = await open(t)
    await onceProven(door)
    assert.equal(await door.command('disable health web/a'), '\n')
    assert.deepEqual(
      [await statOf(door, 'web/a', 'status'), (await serverOf(door, 'web/a')).check],
      ['no check', 'none'],
    )
    door.a.sayHealth(503)
    door.b.sayHealth(503)
    await door.until('the other one to be down', async () => (await serverOf(door, 'web/b')).operational === 'down')
    assert.equal((await serverOf(door, 'web/a')).operational, 'up')
    assert.equal(await door.command('enable health web/a'), '\n')
    await door.until('it to be down', async () => (await serverOf(door, 'web/a')).operational === 'down')
  })

  test('a table of one backend has its servers alone', async (t) => {
    const door = await open(t)
    const names = (text: string): readonly string[] =>
      text
        .split('\n')
        .flatMap((line) => /(?:^\d+ dead \d+ (\w+) )|(?:^dead\/(\w+) )|(?:^dead,(\w+),)/.exec(line)?.slice(1) ?? [])
        .filter(Boolean)
    for (const line of ['show servers state dead', 'show servers conn dead', 'show stat dead 4 -1'])
      assert.deepEqual(names(await door.command(line)), ['d'], line)
    assert.equal(await door.command('show backend'), '# name\nweb\ndead\nsilent\n\n')
  })

  test('a weight of 0 keeps new requests away, and a percentage is of the weight in the file', async (t) => {
    const door = await open(t)
    await onceProven(door)
    assert.equal(await door.command('set server web/a weight 0'), '\n')
    assert.equal(await door.command('get weight web/a'), '0 (initial 1)\n\n')
    const { adminState, weight, operational } = await serverOf(door, 'web/a')
    assert.deepEqual([adminState, weight, operational], ['ready', 0, 'up'])
    for (let i = 0; i < 4; i += 1) await askOnce(door)
    assert.deepEqual(
      [(await serverOf(door, 'web/a')).totalSessions, (await serverOf(door, 'web/b')).totalSessions],
      [0, 4],
    )
    await door.command('set weight web/a 300%')
    assert.equal(await door.command('get weight web/a'), '3 (initial 1)\n\n')
    await door.command('set weight web/b 0; set weight web/a 0')
    assert.deepEqual(await askOnce(door), { status: 503, closes: false })
  })
}
