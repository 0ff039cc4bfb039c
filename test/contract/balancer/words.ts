import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OpenBalancerDoor } from './balancer-door.ts'
import { never, onceProven, ref, serverOf, statOf } from './server-of.ts'

const REFUSALS = [
  ['set server nope/a state drain', 'No such backend.'],
  ['set server web/nope state drain', 'No such server.'],
  ['set server web state drain', "Require 'backend/server'."],
  ['set server web/ state drain', "Require 'backend/server'."],
  ['set server web/a state bogus', "'set server <srv> state' expects 'ready', 'drain' and 'maint'."],
  ['set server web/a state', "'set server <srv> state' expects 'ready', 'drain' and 'maint'."],
  ['set server web/a health bogus', "'set server <srv> health' expects 'up', 'stopping', or 'down'."],
  ['shutdown sessions server web/nope', 'No such server.'],
  ['shutdown sessions server', "Require 'backend/server'."],
  ['show table nope data.server_id lt 0', 'No such table'],
] as const

const UNKNOWN = /^Unknown command, but maybe one of the following ones is a better match:\n/

export function wordsContract(open: OpenBalancerDoor): void {
  test('what cannot be done is said in words, and an empty line ends each answer', async (t) => {
    const door = await open(t)
    for (const [line, words] of REFUSALS) assert.equal(await door.command(line), `${words}\n\n`, line)
    assert.equal(await door.command('set server web/a state drain'), '\n')
    assert.equal(await door.command('set server web/a health up'), '\n')
    assert.equal(await door.command('shutdown sessions server web/a'), '\n')
    assert.equal(await door.command('show table'), '\n')
    assert.equal(await door.command('show cli level'), 'admin\n\n')
    assert.equal(await door.command('  show   cli   level  '), 'admin\n\n')
  })

  test('commands of one line are answered in turn, and one that is unknown stops none behind it', async (t) => {
    const door = await open(t)
    const set = 'set server web/a state drain; show cli level'
    assert.equal(await door.command(set), '\nadmin\n\n')
    const [first, second = '', third, ...rest] = (await door.command('show cli level; foo; show cli level')).split(
      '\n\n',
    )
    assert.equal(first, 'admin')
    assert.match(second, UNKNOWN)
    assert.equal(third, 'admin')
    assert.deepEqual(rest, [''])
    assert.match(await door.command('show cli level;'), /^admin\n\nUnknown command\. Please enter one of the following/)
  })

  test('the adapter is told which server or backend does not exist, whichever program answers', async (t) => {
    const { balancer } = await open(t)
    await assert.rejects(balancer.setState(ref('web/nope'), 'drain', never), { code: 'BALANCER_NO_SERVER' })
    await assert.rejects(balancer.cutSessions(ref('web/nope'), never), { code: 'BALANCER_NO_SERVER' })
    await assert.rejects(balancer.setState(ref('nope/a'), 'drain', never), { code: 'BALANCER_NO_BACKEND' })
  })

  test('an inspection finds an admin’s socket, one process, and nothing that remembers clients', async (t) => {
    const { balancer } = await open(t)
    const found = await balancer.inspect('lb-1', never)
    assert.deepEqual(
      [found.level, found.processes, found.missingBackends, found.disabledBackends],
      ['admin', 1, [], []],
    )
    assert.deepEqual(
      found.outside.map(({ backend, server }) => [backend, server]),
      [['silent', 's']],
    )
    assert.deepEqual(
      found.backends.map(({ name, mode, stickTable, redispatch, servers }) => [
        ...[name, mode, stickTable, redispatch],
        servers.map(({ ref: { server }, persistent, agent, backup, weight }) => [
          ...[server, persistent, agent, backup, weight],
        ]),
      ]),
      [
        [
          ...['web', 'http', false, 'unknown'],
          [
            ['a', false, false, false, 1],
            ['b', false, false, false, 1],
          ],
        ],
        [...['dead', 'http', false, 'unknown'], [['d', false, false, false, 1]]],
      ],
    )
  })

  test('a state that was set is read back, and setting it again changes nothing', async (t) => {
    const door = await open(t)
    await onceProven(door)
    for (const state of ['drain', 'drain', 'maint', 'maint', 'drain', 'ready', 'ready'] as const) {
      await door.balancer.setState(ref('web/a'), state, never)
      const { adminState, ownState, inherited } = await serverOf(door, 'web/a')
      assert.deepEqual([adminState, ownState, inherited], [state, state, false])
    }
  })

  test('each state has its word', async (t) => {
    const door = await open(t)
    await onceProven(door)
    const wordAfter = async (command: string): Promise<string> => {
      await door.command(command)
      return statOf(door, 'web/a', 'status')
    }
    assert.equal(await wordAfter('show cli level'), 'UP')
    assert.equal(await wordAfter('set server web/a state drain'), 'DRAIN')
    // A health check may pass between the command and the reading: HAProxy shows it as the first of the two it needs.
    assert.match(await wordAfter('set server web/a health down'), /^DOWN( 1\/2)?$/)
    assert.equal(await wordAfter('set server web/a health stopping'), 'NOLB')
    assert.equal(await wordAfter('set server web/a health up'), 'DRAIN')
    assert.equal(await wordAfter('set server web/a state maint'), 'MAINT')
    assert.equal(await wordAfter('set server web/a state maint; set server web/a health up'), 'MAINT')
    assert.equal(await statOf(door, 'dead/d', 'status'), 'no check')
    await door.command('set server dead/d state drain')
    assert.equal(await statOf(door, 'dead/d', 'status'), 'DRAIN')
  })
}
