import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { JournalEntry } from '../../../src/roll/ports/journal.ts'
import { stillRight } from '../../../src/roll/run/last-moment.ts'
import type { Action } from '../../../src/service/model/action.ts'
import type { AdminState, ServerReading } from '../../../src/service/model/balancer.ts'
import { INTENT_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { leave, type MemoryRoll, memoryRoll } from '../../support/memory-roll.ts'
import { announced, cordoned } from '../../support/roll-stages.ts'
import { aNode, aServer, aSnapshot } from '../../support/roll-world.ts'

const [A, B] = [aServer('n1'), aServer('n2')]
/** `detach.idleLimit` of the roll. */
const IDLE_LIMIT_MS = 180_000
const never = new AbortController().signal

/** What the balancer is told from now on, in order. */
function wordsTo({ balancer }: MemoryRoll): string[] {
  const words: string[] = []
  balancer.onState = (server, state) => words.push(`${server} ${state}`)
  return words
}

function begun(t: TestContext, roll: MemoryRoll): MemoryRoll {
  const running = roll.begin()
  t.after(() => leave(roll, running))
  return roll
}

const byHand = ({ balancer }: MemoryRoll, server: string, state: AdminState): Promise<void> =>
  balancer.setState({ instance: 'lb-1', backend: 'web', server }, state)

/** The first entry that says that this is meant to be done. */
const isMeant = ({ actions }: JournalEntry, kind: string): boolean =>
  Array.isArray(actions) && actions.some((action: { kind: string }) => action.kind === kind)

const isAnnounced = ({ cluster }: MemoryRoll): boolean => INTENT_ANNOTATION in cluster.node('n1').annotations

test('a server stays in where the other one went out while the journal was slow to write that it is to leave', async (t) => {
  const roll: MemoryRoll = begun(
    t,
    memoryRoll({
      servers: [A, B],
      append: async (entry) => {
        if (!isMeant(entry, 'setServer')) return
        await roll.clock.sleep(50, never)
        await byHand(roll, 'n2', 'maint')
      },
    }),
  )
  const words = wordsTo(roll)
  await roll.clock.advance(20_000)
  assert.deepEqual([words, roll.balancer.state('n1')], [['n2 maint'], 'ready'])
})

test('a node is not cordoned if the other server goes out while the journal is slow', async (t) => {
  let times = 0
  const roll: MemoryRoll = begun(
    t,
    memoryRoll({
      servers: [A, B],
      append: async (entry) => {
        if (!isMeant(entry, 'cordon')) return
        times += 1
        if (times === 1) await byHand(roll, 'n2', 'maint')
      },
    }),
  )
  await roll.clock.advance(20_000)
  assert.equal(roll.cluster.node('n1').unschedulable, false)
  await byHand(roll, 'n2', 'ready')
  await roll.clock.advance(2_000)
  assert.equal(roll.cluster.node('n1').unschedulable, true)
})

test('of two servers that a reload put back in, the second stays in where the others went out while the command for the first was sent', async (t) => {
  const servers = [{ ...A, currentSessions: 1 }, aServer('n1b', { address: '10.0.0.1' }), B]
  const roll = begun(t, memoryRoll({ servers }))
  await roll.clock.advance(5_000)
  assert.deepEqual(
    [roll.balancer.state('n1'), roll.balancer.state('n1b'), isAnnounced(roll)],
    ['drain', 'drain', false],
  )
  const set = roll.balancer.setState.bind(roll.balancer)
  roll.balancer.setState = async (ref, state) => {
    await roll.clock.sleep(500, never)
    await set(ref, state)
  }
  for (const server of ['n1', 'n1b']) await set({ ...A.ref, server }, 'ready')
  const words = wordsTo(roll)
  await roll.clock.advance(300)
  await set(B.ref, 'maint')
  await roll.clock.advance(10_000)
  assert.deepEqual([words, roll.balancer.state('n1b')], [['n2 maint', 'n1 drain'], 'ready'])
})

test('the reboot is not announced where a reload put the node back in at the last moment, and others serve no more', async (t) => {
  const roll: MemoryRoll = begun(
    t,
    memoryRoll({
      servers: [A, B],
      append: async (entry) => {
        if (!isMeant(entry, 'writeIntent')) return
        await byHand(roll, 'n1', 'ready')
        await byHand(roll, 'n2', 'maint')
      },
    }),
  )
  await roll.clock.advance(60_000)
  assert.deepEqual([isAnnounced(roll), roll.balancer.state('n1'), roll.reboots], [false, 'ready', []])
})

test('no reboot is sent while a balancer instance is silent at the last moment', async (t) => {
  const roll = begun(t, memoryRoll())
  const read = roll.balancer.read.bind(roll.balancer)
  let isSilent = true
  roll.balancer.read = (instance) =>
    isSilent && isAnnounced(roll)
      ? Promise.reject(new WorldError('no answer', { code: 'BALANCER_TIMEOUT', retry: 'backoff' }))
      : read(instance)
  await roll.clock.advance(30_000)
  assert.deepEqual([isAnnounced(roll), roll.reboots], [true, []])
  isSilent = false
  await roll.clock.advance(5_000)
  assert.deepEqual(roll.reboots, ['n1'])
})

test('no reboot is sent to a node that a reload put back in at the last moment, before it is out again', async (t) => {
  const roll: MemoryRoll = begun(
    t,
    memoryRoll({
      append: async (entry) => {
        if (isMeant(entry, 'sendReboot') && words.length < 2) await byHand(roll, 'n1', 'ready')
      },
    }),
  )
  const words = wordsTo(roll)
  roll.machine.rebooted = (node) => words.push(`${node} rebooted`)
  await roll.clock.advance(5_000)
  assert.deepEqual(words, ['n1 drain', 'n1 ready', 'n1 drain', 'n1 rebooted'])
})

test('law: no node is rebooted while a server at its address is sent traffic that its record does not have; one that is added at the last moment counts', async (t) => {
  let added: ServerReading | undefined
  const roll: MemoryRoll = begun(
    t,
    memoryRoll({
      append: async (entry) => {
        if (added !== undefined || !isMeant(entry, 'sendReboot')) return
        added = aServer('n1-b', { address: '10.0.0.1', port: 30081 })
        roll.balancer.change(added.ref, added)
      },
    }),
  )
  await roll.clock.advance(30_000)
  assert.deepEqual([isAnnounced(roll), roll.reboots], [true, []])
  await byHand(roll, 'n1-b', 'drain')
  await roll.clock.advance(5_000)
  assert.deepEqual(roll.reboots, ['n1'])
})

test('no session is cut on a server that a reload put back in at the last moment, before its idle limit is over anew', async (t) => {
  const roll: MemoryRoll = begun(
    t,
    memoryRoll({
      servers: [{ ...A, currentSessions: 1 }, B],
      append: async (entry) => {
        if (isMeant(entry, 'cutSessions') && words.length < 2) await byHand(roll, 'n1', 'ready')
      },
    }),
  )
  const words: [word: string, atMs: number][] = []
  const { balancer, clock } = roll
  balancer.onState = (server, state) => words.push([`${server} ${state}`, clock.monoMs()])
  const cut = balancer.cutSessions.bind(balancer)
  balancer.cutSessions = (ref) => {
    words.push([`${ref.server} cut`, clock.monoMs()])
    return cut(ref)
  }
  await clock.advance(420_000)
  const until = words.slice(0, 4)
  assert.deepEqual(
    until.map(([word]) => word),
    ['n1 drain', 'n1 ready', 'n1 drain', 'n1 cut'],
  )
  const [, , [, outAtMs] = ['', 0], [, cutAtMs] = ['', 0]] = until
  assert.ok(cutAtMs - outAtMs >= IDLE_LIMIT_MS, `cut ${cutAtMs - outAtMs} ms after it was taken out`)
})

const DETACH: Action = { kind: 'setServer', node: 'n1', balancer: 'edge', ref: A.ref, state: 'drain', restores: false }
const RELEASE: Action = { kind: 'releaseSlot', node: 'n1' }
const nothingAsked = (): Promise<void> => Promise.resolve()

test('what takes no node out is done, though what was decided with it may not be any more', async () => {
  const bothOut = aSnapshot({ ...cordoned, servers: [A, { ...B, adminState: 'maint', operational: 'down' }] })
  const allowed = await stillRight([DETACH, RELEASE], { now: () => bothOut, poll: nothingAsked })
  assert.deepEqual(allowed, [RELEASE])
})

test('no reboot is sent where no node is under way any more, and one is sent where the node is out', async () => {
  const reboot: Action = { kind: 'sendReboot', node: 'n1', bootId: aNode('n1').bootId }
  assert.deepEqual(await stillRight([reboot], { now: () => undefined, poll: nothingAsked }), [])
  assert.deepEqual(await stillRight([reboot], { now: () => aSnapshot(announced), poll: nothingAsked }), [reboot])
})
