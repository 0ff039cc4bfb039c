import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Leader } from '../../../src/ground/loop/leader.ts'
import { type SeenSlot, slotRef } from '../../../src/ground/model/slot.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { ControllerSlots } from '../../../src/service/run/controller-slots.ts'
import { LeaseKeeper } from '../../../src/service/run/lease-keeper.ts'
import { SlotsReader } from '../../../src/service/run/slots-reader.ts'
import { FlakyLeases } from '../../support/flaky-leases.ts'
import { LeaseStore } from '../../support/lease-store.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal
const LEASE = { namespace: 'ops', name: 'evenkeel-controller' }
const ROLL_MS = 120_000
const CONTROLLER_MS = 15_000

/** One process of a controller: it leads once its turn has come, until it is killed. */
function process({ store, clock }: World, identity: string) {
  const cluster = new FlakyLeases(store.client())
  const life = new AbortController()
  const leader = new Leader({
    cluster,
    clock,
    random: new SeededRandom(identity.length),
    lease: LEASE,
    identity,
    durationMs: CONTROLLER_MS,
    onChange: () => undefined,
  })
  leader.run(life.signal).catch(() => undefined)
  const slots = new ControllerSlots({ cluster, clock, namespace: 'evenkeel', lease: LEASE, leader })
  return { leader, slots, cluster, kill: () => life.abort() }
}

interface World {
  readonly store: LeaseStore
  readonly clock: VirtualClock
}

async function aWorld() {
  const clock = new VirtualClock()
  const store = new LeaseStore(clock)
  const first = process({ store, clock }, 'pod-1')
  await clock.advance(1_000)
  assert.ok(first.leader.isLeading())
  const reader = new SlotsReader({ cluster: store.client(), clock, namespace: 'evenkeel', durationMs: ROLL_MS })
  const seen = async (count = 1) =>
    (await reader.read(count, never)).map(({ index, owner, isStale }) => [
      index,
      owner.node,
      isStale ? 'stale' : 'held',
    ])
  /** As a roll looks: again and again. */
  const watched = async (ms: number): Promise<unknown> => {
    for (let at = 0; at < ms; at += 5_000) {
      await seen()
      await clock.advance(5_000)
    }
    return seen()
  }
  /** Slot 0 as a reading shows it once it is stale. */
  const stale = async (): Promise<SeenSlot> => {
    await watched(ROLL_MS)
    const [slot] = await reader.read(1, never)
    assert.equal(slot?.isStale, true)
    return slot ?? assert.fail('slot 0 is not held')
  }
  return { clock, store, first, seen, watched, stale }
}

const take = (index: number, node: string) => ({ index, node })

test('slots of a controller are never renewed, and a roll finds them held as long as the controller leads', async () => {
  const { store, first, seen, watched } = await aWorld()
  assert.deepEqual(await first.slots.take(take(0, 'n1'), never), { kind: 'held' })
  assert.deepEqual(await first.slots.take(take(1, 'n2'), never), { kind: 'held' })
  const { resourceVersion } = store.get(slotRef('evenkeel')) ?? {}
  assert.deepEqual(await watched(600_000), [
    [0, 'n1', 'held'],
    [1, 'n2', 'held'],
  ])
  assert.equal(store.get(slotRef('evenkeel'))?.resourceVersion, resourceVersion)
  await first.slots.release({ index: 0, node: 'n1' }, never)
  assert.deepEqual(await seen(2), [[1, 'n2', 'held']])
})

test('law: the slots of a controller live while its Lease is renewed, by whichever replica leads; a leader that is killed between its slot and its claim leaves the slot to the next leader, who has it at once', async () => {
  const { clock, store, first, watched } = await aWorld()
  await first.slots.take(take(0, 'n1'), never)
  first.kill()
  const second = process({ store, clock }, 'pod-22')
  assert.deepEqual(await watched(60_000), [[0, 'n1', 'held']])
  assert.ok(second.leader.isLeading())
  assert.deepEqual(await second.slots.take(take(0, 'n1'), never), { kind: 'held' })
  await second.slots.release({ index: 0, node: 'n1' }, never)
  assert.equal(store.get(slotRef('evenkeel'))?.holder, '')
})

test('the slots of a controller that was uninstalled are stale once its Lease was not there for the duration, and a roll may take them', async () => {
  const { clock, store, first, seen, watched } = await aWorld()
  await first.slots.take(take(0, 'n1'), never)
  first.kill()
  store.delete(LEASE)
  assert.deepEqual(await seen(), [[0, 'n1', 'held']])
  assert.deepEqual(await watched(ROLL_MS - 5_000), [[0, 'n1', 'held']])
  assert.deepEqual(await watched(5_000), [[0, 'n1', 'stale']])
  const keeper = new LeaseKeeper({
    cluster: store.client(),
    clock,
    random: new SeededRandom(1),
    slot: (index) => slotRef('evenkeel', index),
    run: 'run-1',
    nonce: 'a',
    durationMs: ROLL_MS,
    onChange: () => undefined,
  })
  const wanted = { node: 'n3', takeStale: true }
  assert.equal((await keeper.acquire(wanted, never)).kind, 'taken')
  await clock.advance(ROLL_MS)
  assert.equal((await keeper.acquire(wanted, never)).kind, 'held')
  assert.deepEqual(await seen(), [[0, 'n3', 'held']])
})

test('law: the slots of a controller live while its Lease is renewed, by whichever replica leads; a replica that does not lead takes no slot and gives none back', async () => {
  const { clock, store, first } = await aWorld()
  await first.slots.take(take(0, 'n1'), never)
  const standby = process({ store, clock }, 'pod-22')
  await clock.advance(1_000)
  const lapsed = (error: unknown): boolean => error instanceof WorldError && error.code === 'SLOT_LAPSED'
  await assert.rejects(standby.slots.take(take(1, 'n2'), never), lapsed)
  await assert.rejects(standby.slots.release({ index: 0, node: 'n1' }, never), lapsed)
})

test('a slot of a roll is not taken, nor one that the controller holds for another node, nor one that a roll was faster at', async () => {
  const { store, first } = await aWorld()
  const held = { ...slotRef('evenkeel', 0), resourceVersion: '', holder: 'run-1/a', durationSeconds: 120 }
  store.put({ ...held, renewTime: '', transitions: 0, annotations: {} })
  assert.deepEqual(await first.slots.take(take(0, 'n1'), never), { kind: 'taken', holder: 'run-1/a' })
  await first.slots.take(take(1, 'n1'), never)
  assert.deepEqual(await first.slots.take(take(1, 'n2'), never), { kind: 'taken', holder: first.slots.holder })
  first.cluster.meanwhile = () =>
    void store.put({ ...held, ...slotRef('evenkeel', 2), renewTime: '', transitions: 0, annotations: {} })
  assert.deepEqual(await first.slots.take(take(2, 'n3'), never), { kind: 'taken', holder: 'run-1/a' })
})

test('a slot that a person released by hand for a machine of a load balancer is the slot of a node once the controller has it', async () => {
  const { clock, store, first } = await aWorld()
  const ref = slotRef('evenkeel', 0)
  const annotations = { 'evenkeel.dev/run': 'run-1', 'evenkeel.dev/node': 'lb-1', 'evenkeel.dev/machine': 'lb-1' }
  store.put({
    ...{ ...ref, resourceVersion: '', holder: '', durationSeconds: 120 },
    ...{ renewTime: '', transitions: 0, annotations },
  })
  assert.deepEqual(await first.slots.take(take(0, 'n1'), never), { kind: 'held' })
  const reader = new SlotsReader({ cluster: store.client(), clock, namespace: 'evenkeel', durationMs: ROLL_MS })
  const [slot] = await reader.read(1, never)
  assert.deepEqual([slot?.owner.node, slot?.owner.isMachine], ['n1', undefined])
  await first.slots.release({ index: 0, node: 'n1' }, never)
  assert.deepEqual(store.get(ref)?.annotations, {})
})

test('a slot that names no Lease that there can be is one of its own', async () => {
  const { store, seen, watched } = await aWorld()
  const annotations = { 'evenkeel.dev/node': 'n1', 'evenkeel.dev/lives-by': '../../x' }
  const slot = { ...slotRef('evenkeel', 0), resourceVersion: '', holder: 'controller/x', durationSeconds: 1 }
  store.put({ ...slot, renewTime: '', transitions: 0, annotations })
  assert.deepEqual(await seen(), [[0, 'n1', 'held']])
  assert.deepEqual(await watched(ROLL_MS), [[0, 'n1', 'stale']])
})

test('law: the slots of a controller live while its Lease is renewed, by whichever replica leads; a roll takes no slot from a controller that lives, however long it was not renewed', async () => {
  const { clock, store, first } = await aWorld()
  await first.slots.take(take(0, 'n1'), never)
  const keeper = new LeaseKeeper({
    cluster: store.client(),
    clock,
    random: new SeededRandom(1),
    slot: slotRef('evenkeel'),
    run: 'run-1',
    nonce: 'a',
    durationMs: ROLL_MS,
    onChange: () => undefined,
  })
  for (let tries = 0; tries < 100; tries += 1) {
    assert.equal((await keeper.acquire({ node: 'n3', takeStale: true }, never)).kind, 'taken')
    await clock.advance(5_000)
  }
})

const ROLLS = { ...slotRef('evenkeel'), resourceVersion: '', holder: 'run-1/a', durationSeconds: 120, transitions: 0 }
const OF_ROLL = { ...ROLLS, renewTime: '2026-01-01T00:00:00Z', annotations: { 'evenkeel.dev/node': 'n3' } }

test('a slot that a roll renews no more is taken from that roll', async () => {
  const { store, first, seen, stale } = await aWorld()
  store.put(OF_ROLL)
  assert.deepEqual(await first.slots.take({ ...take(0, 'n1'), stale: await stale() }, never), { kind: 'held' })
  assert.deepEqual(await seen(), [[0, 'n1', 'held']])
})

for (const [what, change, holder] of [
  ['that its holder has renewed since', { renewTime: '2026-01-01T00:02:00Z' }, 'run-1/a'],
  ['that another run has taken since', { holder: 'run-2/b' }, 'run-2/b'],
  ['that its holder has for another node by now', { annotations: { 'evenkeel.dev/node': 'n4' } }, 'run-1/a'],
] as const)
  test(`a slot that was stale, and ${what}, is not taken`, async () => {
    const { store, first, stale } = await aWorld()
    store.put(OF_ROLL)
    const seen = await stale()
    store.put({ ...OF_ROLL, ...change })
    assert.deepEqual(await first.slots.take({ ...take(0, 'n1'), stale: seen }, never), { kind: 'taken', holder })
    assert.equal(store.get(slotRef('evenkeel'))?.holder, holder)
  })

test('a slot of a reading that did not find it stale is not taken', async () => {
  const { store, first, stale } = await aWorld()
  store.put(OF_ROLL)
  const living = { ...(await stale()), isStale: false }
  const answer = await first.slots.take({ ...take(0, 'n1'), stale: living }, never)
  assert.deepEqual(answer, { kind: 'taken', holder: 'run-1/a' })
})

test('a slot of another controller is taken as long as that one leads no more, and not once it leads again', async () => {
  const { store, first, stale } = await aWorld()
  const other = { namespace: 'ops', name: 'other' }
  const annotations = { 'evenkeel.dev/node': 'n3', 'evenkeel.dev/lives-by': 'ops/other' }
  store.put({ ...OF_ROLL, holder: 'controller/other', annotations })
  const seen = await stale()
  store.put({ ...OF_ROLL, ...other, holder: 'pod-7', annotations: {} })
  const taking = () => first.slots.take({ ...take(0, 'n1'), stale: seen }, never)
  assert.deepEqual(await taking(), { kind: 'taken', holder: 'controller/other' })
  store.delete(other)
  assert.deepEqual(await taking(), { kind: 'held' })
})
