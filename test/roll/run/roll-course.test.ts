import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { JournalEntry } from '../../../src/roll/ports/journal.ts'
import { leave, type MemoryRoll, memoryRoll } from '../../support/memory-roll.ts'

const SLOT = { namespace: 'evenkeel', name: 'evenkeel-slot-0' }
const REF = { instance: 'lb-1', backend: 'web', server: 'n1' }
const ROLLED_MS = 400_000

function begun(t: TestContext, roll: MemoryRoll): MemoryRoll {
  const running = roll.begin()
  t.after(() => leave(roll, running))
  return roll
}

const outcomeOf = ({ ended }: MemoryRoll) => ended() && [ended()?.outcome, ended()?.exitCode]
const standings = ({ ended }: MemoryRoll) => ended()?.standings.map(({ node, state }) => `${node} ${state}`)

/** Until the machine of n1 was told to reboot. */
async function rebooting(roll: MemoryRoll): Promise<void> {
  for (let passed = 0; roll.reboots.length === 0; passed += 100) {
    assert.ok(passed < ROLLED_MS, 'n1 was never rebooted')
    await roll.clock.advance(100)
  }
}

test('what stops a roll is in its journal once', async (t) => {
  const entries: JournalEntry[] = []
  const roll = begun(t, memoryRoll({ append: async (entry) => void entries.push(entry) }))
  roll.balancer.onState = () => {
    throw new WorldError('Permission denied', { code: 'BALANCER_PERMISSION', retry: 'never' })
  }
  await roll.clock.advance(2 * ROLLED_MS)
  assert.deepEqual(outcomeOf(roll), ['held', 3])
  assert.equal(entries.filter(({ type }) => type === 'verdict').length, 1)
})

test('a node that is restored is in no journal as through', async (t) => {
  const entries: JournalEntry[] = []
  const roll = begun(t, memoryRoll({ append: async (entry) => void entries.push(entry) }))
  roll.balancer.onState = () => {
    throw new WorldError('Permission denied', { code: 'BALANCER_PERMISSION', retry: 'never' })
  }
  await roll.clock.advance(2 * ROLLED_MS)
  assert.deepEqual(standings(roll)?.[0], 'n1 restored')
  assert.deepEqual(
    entries.filter(({ type }) => type === 'through'),
    [],
  )
})

test('a run that is resumed after its last node gives the slot back that its process died with', async (t) => {
  const done = ['n1', 'n2', 'n3']
  const roll = memoryRoll({ run: { resumed: true, done } })
  const lease = { ...SLOT, resourceVersion: '', durationSeconds: 120, renewTime: '', transitions: 0, annotations: {} }
  roll.cluster.leases.put({ ...lease, holder: 'run-1/dead' })
  begun(t, roll)
  await roll.clock.advance(10_000)
  assert.deepEqual([outcomeOf(roll), roll.cluster.leases.get(SLOT)?.holder], [['completed', 0], ''])
})

test('a run that is resumed after its last node does not end before the API has released the slot', async (t) => {
  const roll = memoryRoll({ run: { resumed: true, done: ['n1', 'n2', 'n3'] } })
  const lease = { ...SLOT, resourceVersion: '', durationSeconds: 120, renewTime: '', transitions: 0, annotations: {} }
  roll.cluster.leases.put({ ...lease, holder: 'run-1/dead' })
  const { readLease } = roll.cluster
  roll.cluster.readLease = () =>
    Promise.reject(new WorldError('connect ECONNREFUSED', { code: 'KUBE_UNREACHABLE', retry: 'backoff' }))
  begun(t, roll)
  await roll.clock.advance(60_000)
  assert.deepEqual([outcomeOf(roll), roll.cluster.leases.get(SLOT)?.holder], [undefined, 'run-1/dead'])
  const text =
    'Lease evenkeel-slot-0 cannot be released yet: connect ECONNREFUSED; the roll ends when the API has answered, or once the Lease is stale'
  assert.deepEqual(
    roll.events.flatMap((event) => (event.type === 'warning' ? [event.text] : [])),
    [text],
  )
  roll.cluster.readLease = readLease
  await roll.clock.advance(30_000)
  assert.deepEqual([outcomeOf(roll), roll.cluster.leases.get(SLOT)?.holder], [['completed', 0], ''])
})

test('a run that is resumed after its last node waits for no longer than the Lease lasts, where the API refuses to release it', async (t) => {
  const roll = memoryRoll({ run: { resumed: true, done: ['n1', 'n2', 'n3'] } })
  const lease = { ...SLOT, resourceVersion: '', durationSeconds: 120, renewTime: '', transitions: 0, annotations: {} }
  roll.cluster.leases.put({ ...lease, holder: 'run-1/dead' })
  roll.cluster.writeLease = () =>
    Promise.reject(new WorldError('forbidden', { code: 'KUBE_FORBIDDEN', retry: 'never' }))
  begun(t, roll)
  await roll.clock.advance(180_000)
  assert.deepEqual([outcomeOf(roll), roll.cluster.leases.get(SLOT)?.holder], [['completed', 0], 'run-1/dead'])
  const warnings = roll.events.flatMap((event) => (event.type === 'warning' ? [event.text] : []))
  assert.equal(
    warnings.at(-1),
    'Lease evenkeel-slot-0 is not released: forbidden; nobody renews it, so that other runs take it',
  )
})

test('a run that is resumed after its last node gives back whichever slot was left, once the slots can be read', async (t) => {
  const unheard = new WorldError('connect ECONNREFUSED', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
  const world = { isAway: true }
  const read = async () => {
    if (world.isAway) throw unheard
    return undefined
  }
  const roll = memoryRoll({ run: { resumed: true, done: ['n1', 'n2', 'n3'] }, configMaps: { read } })
  const lease = { ...SLOT, resourceVersion: '', durationSeconds: 120, renewTime: '', transitions: 0, annotations: {} }
  const second = { ...SLOT, name: 'evenkeel-slot-1' }
  roll.cluster.leases.put({ ...lease, ...second, holder: 'run-1/dead' })
  begun(t, roll)
  await roll.clock.advance(60_000)
  assert.equal(outcomeOf(roll), undefined)
  assert.deepEqual(
    roll.events.flatMap((event) => (event.type === 'warning' ? [event.text] : [])),
    [
      'the node budget could not be read: connect ECONNREFUSED; the roll ends when the API has answered, or once the Lease is stale',
    ],
  )
  world.isAway = false
  await roll.clock.advance(60_000)
  assert.deepEqual([outcomeOf(roll), roll.cluster.leases.get(second)?.holder], [['completed', 0], ''])
})

test('a roll that is interrupted says where the node under way stands', async (t) => {
  const roll = begun(t, memoryRoll())
  await rebooting(roll)
  roll.over.abort()
  await roll.clock.advance(60_000)
  assert.deepEqual(outcomeOf(roll), ['interrupted', 130])
  assert.deepEqual(standings(roll), ['n1 out', 'n2 notTouched', 'n3 notTouched'])
})

test('a roll is over when all of it is in its journal, and leaves nothing running', async () => {
  const entries: JournalEntry[] = []
  const slowly = async (entry: JournalEntry): Promise<void> => {
    await roll.clock.sleep(50, new AbortController().signal)
    entries.push(entry)
  }
  const roll: MemoryRoll = memoryRoll({ append: slowly })
  let last: JournalEntry | undefined
  const running = roll.begin().then(() => {
    last = entries.at(-1)
  })
  await roll.clock.advance(2 * ROLLED_MS)
  await running
  assert.deepEqual([outcomeOf(roll), last?.type], [['completed', 0], 'roll.ended'])
  assert.equal(roll.clock.sleeping(), 0)
})

test('what a reload forgot while a node is out is said again by the next poll, and told once', async (t) => {
  const roll = begun(t, memoryRoll())
  await rebooting(roll)
  await roll.clock.advance(5_000)
  await roll.balancer.setState(REF, 'ready')
  await roll.clock.advance(210)
  assert.equal(roll.balancer.state('n1'), 'drain')
  await roll.clock.advance(5_000)
  assert.equal(roll.events.filter(({ type }) => type === 'reasserted').length, 1)
})

test('a word that a balancer refuses is not told as said again', async (t) => {
  const roll = begun(t, memoryRoll())
  await rebooting(roll)
  await roll.clock.advance(5_000)
  await roll.balancer.setState(REF, 'ready')
  roll.balancer.onState = () => {
    throw new WorldError('it does not answer', { code: 'BALANCER_TIMEOUT', retry: 'backoff' })
  }
  await roll.clock.advance(2_000)
  assert.equal(roll.balancer.state('n1'), 'ready')
  assert.deepEqual(
    roll.events.filter(({ type }) => type === 'reasserted'),
    [],
  )
})

test('a bug beside the passes ends the roll, and is no trouble of the world', async () => {
  const roll = memoryRoll()
  const bug = new TypeError('a bug')
  const rejected = assert.rejects(roll.begin(), bug)
  await rebooting(roll)
  roll.balancer.read = () => Promise.reject(bug)
  await roll.clock.advance(10_000)
  await rejected
})
