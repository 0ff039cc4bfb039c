import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LeaseKeeper } from '../../../src/service/run/lease-keeper.ts'
import { type LeaseClient, type LeaseFault, LeaseStore } from '../../support/lease-store.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal
const SLOT = { namespace: 'evenkeel', name: 'slot-0' }
const DURATION_MS = 30_000

interface Holder {
  readonly keeper: LeaseKeeper
  readonly client: LeaseClient
}

interface HolderFacts {
  readonly store: LeaseStore
  readonly clock: VirtualClock
  readonly run: string
  readonly latencyMs?: number
  readonly seed?: number
  readonly signal?: AbortSignal
}

function holder({ store, clock, run, latencyMs = 0, seed = 1, signal = never }: HolderFacts): Holder {
  const client = store.client(latencyMs)
  const keeper = new LeaseKeeper({
    cluster: client,
    clock,
    random: new SeededRandom(seed),
    slot: SLOT,
    run,
    nonce: `p${seed}`,
    durationMs: DURATION_MS,
    onChange: () => undefined,
  })
  keeper.run(signal).catch((reason: unknown) => assert.equal(reason, signal.reason))
  return { keeper, client }
}

const acquire = ({ keeper }: Holder, node = 'worker-1', takeStale = false) => keeper.acquire({ node, takeStale }, never)

test('an API that is away is no loss: acting ends at two thirds and goes on when a renewal passes again', async () => {
  for (const fault of ['lost', 'hanging', 'forbidden'] as const) {
    const clock = new VirtualClock()
    const a = holder({ store: new LeaseStore(clock), clock, run: 'roll-a' })
    await acquire(a)
    a.client.fault = fault
    await clock.advance(19_999)
    assert.equal(a.keeper.mayAct(), true)
    await clock.advance(1)
    assert.equal(a.keeper.mayAct(), false, fault)
    assert.equal(a.keeper.state().kind, 'held')
    await clock.advance(100_000)
    assert.equal(a.keeper.mayAct(), false)
    a.client.fault = 'none'
    await clock.advance(15_000)
    assert.equal(a.keeper.mayAct(), true)
  }
})

test('tries against an API that is away stay few', async () => {
  const clock = new VirtualClock()
  const store = new LeaseStore(clock)
  const a = holder({ store, clock, run: 'roll-a' })
  await acquire(a)
  let calls = 0
  const { writeLease } = a.client
  a.client.writeLease = (...args) => {
    calls += 1
    return writeLease.apply(a.client, args)
  }
  a.client.fault = 'lost'
  await clock.advance(600_000)
  assert.ok(calls >= 120 && calls <= 300, `${calls} tries in ten minutes`)
})

test('a renewal whose answer was lost is neither a loss nor counted, and the next one passes', async () => {
  const clock = new VirtualClock()
  const a = holder({ store: new LeaseStore(clock), clock, run: 'roll-a' })
  await acquire(a)
  await clock.advance(1_000)
  a.client.fault = 'deaf'
  assert.equal((await a.keeper.renewNow(never)).kind, 'unanswered')
  assert.equal(a.keeper.mayActForMs(), 19_000)
  a.client.fault = 'none'
  assert.deepEqual(await a.keeper.renewNow(never), { kind: 'renewed' })
  assert.equal(a.keeper.mayActForMs(), 20_000)
})

test('what may be acted is counted from when the renewal was sent, not from its answer', async () => {
  const clock = new VirtualClock()
  const a = holder({ store: new LeaseStore(clock), clock, run: 'roll-a', latencyMs: 2_000 })
  const held = acquire(a)
  await clock.advance(4_000)
  assert.deepEqual(await held, { kind: 'held' })
  assert.equal(a.keeper.mayActForMs(), 18_000)
})

test('a claim whose answer was lost is ours when asked again', async () => {
  const clock = new VirtualClock()
  const store = new LeaseStore(clock)
  store.put({
    ...SLOT,
    resourceVersion: '',
    holder: '',
    durationSeconds: 30,
    renewTime: '',
    transitions: 0,
    annotations: {},
  })
  const a = holder({ store, clock, run: 'roll-a' })
  a.client.fault = 'deaf'
  assert.equal((await acquire(a)).kind, 'unanswered')
  assert.equal(a.keeper.mayAct(), false)
  a.client.fault = 'none'
  assert.deepEqual(await acquire(a), { kind: 'held' })
})

test('a release whose answer was lost is a release when asked again, and nothing is done in between', async () => {
  const clock = new VirtualClock()
  const store = new LeaseStore(clock)
  const a = holder({ store, clock, run: 'roll-a' })
  await acquire(a)
  a.client.fault = 'deaf'
  assert.equal((await a.keeper.release(never)).kind, 'unanswered')
  assert.equal(store.get(SLOT)?.holder, '')
  assert.equal(a.keeper.mayAct(), false)
  a.client.fault = 'none'
  await clock.advance(60_000)
  assert.equal(store.get(SLOT)?.holder, '')
  assert.deepEqual(await a.keeper.release(never), { kind: 'free' })
  assert.equal(a.keeper.state().kind, 'free')
})

test('a release that never arrived frees the slot when asked again, or by staleness', async () => {
  const clock = new VirtualClock()
  const store = new LeaseStore(clock)
  const a = holder({ store, clock, run: 'roll-a' })
  const b = holder({ store, clock, run: 'roll-b', seed: 2 })
  await acquire(a)
  a.client.fault = 'lost'
  assert.equal((await a.keeper.release(never)).kind, 'unanswered')
  await acquire(b)
  await clock.advance(DURATION_MS)
  assert.equal((await acquire(b, 'worker-1', true)).kind, 'held')
})

test('a clock that is set, by hours and both ways, has no effect on holder or observer', async () => {
  const clock = new VirtualClock()
  const store = new LeaseStore(clock)
  const a = holder({ store, clock, run: 'roll-a' })
  const b = holder({ store, clock, run: 'roll-b', seed: 2 })
  await acquire(a)
  for (const jumpMs of [3_600_000, -7_200_000, 86_400_000, -1]) {
    clock.jumpWall(jumpMs)
    assert.equal(a.keeper.mayAct(), true)
    assert.equal((await acquire(b, 'worker-2', true)).kind, 'taken')
    await clock.advance(10_000)
    assert.equal((await acquire(b, 'worker-2', true)).kind, 'taken')
    assert.equal(a.keeper.mayAct(), true)
  }
})

/** The clock of `a` stood still, and `b` took the slot over meanwhile. */
async function takenOver() {
  const [asleep, awake] = [new VirtualClock(), new VirtualClock()]
  const store = new LeaseStore(awake)
  const a = holder({ store, clock: asleep, run: 'roll-a' })
  const b = holder({ store, clock: awake, run: 'roll-b', seed: 2 })
  await acquire(a)
  await acquire(b, 'worker-2', true)
  await awake.advance(DURATION_MS)
  assert.equal((await acquire(b, 'worker-2', true)).kind, 'held')
  return { asleep, a, b }
}

test('a holder whose machine slept sends nothing when it wakes, and learns from a renewal that its slot is lost', async () => {
  const { asleep, a, b } = await takenOver()
  const waking = asleep.suspend(DURATION_MS)
  assert.deepEqual([a.keeper.mayAct(), b.keeper.mayAct()], [false, true])
  await waking
  assert.equal(a.keeper.state().kind, 'lost')
})

test('a holder whose machine slept while no other run came acts again once it renewed', async () => {
  const clock = new VirtualClock()
  const a = holder({ store: new LeaseStore(clock), clock, run: 'roll-a', latencyMs: 20 })
  const taken = acquire(a)
  await clock.advance(50)
  await taken
  await clock.suspend((DURATION_MS * 2) / 3)
  assert.equal(a.keeper.mayAct(), false)
  await clock.advance(20)
  assert.equal(a.keeper.mayAct(), true)
})

test('a process whose virtual machine was paused from outside learns from its first renewal that it lost, and acts no more', async () => {
  const { a } = await takenOver()
  assert.equal(a.keeper.mayAct(), true, 'it saw no time pass: this is why step 6 renews first')
  assert.deepEqual(await a.keeper.renewNow(never), { kind: 'lost' })
  assert.equal(a.keeper.mayAct(), false)
})

test('of two that want a free slot at the same moment one gets it', async () => {
  const clock = new VirtualClock()
  const store = new LeaseStore(clock)
  const [a, b] = [1, 2].map((seed) => holder({ store, clock, run: `roll-${seed}`, latencyMs: 50, seed }))
  assert.ok(a !== undefined && b !== undefined)
  const both = Promise.all([acquire(a, 'worker-1'), acquire(b, 'worker-2')])
  await clock.advance(1_000)
  const answers = (await both).map(({ kind }) => kind)
  assert.deepEqual(answers, ['held', 'taken'])
  assert.equal(store.get(SLOT)?.holder, 'roll-1/p1')
})

/** Two runs that want the slot at any price, over an API that fails in every way. */
async function raceForSlot(seed: number): Promise<void> {
  const draw = new SeededRandom(seed)
  const clock = new VirtualClock()
  const store = new LeaseStore(clock)
  const stop = new AbortController()
  const runs = [1, 2, 3].map((n) => {
    const facts = { store, clock, run: `roll-${n}`, latencyMs: 20 * n, seed: n, signal: stop.signal }
    return { facts, holder: holder(facts), process: n }
  })
  const calls: Promise<unknown>[] = []
  const faults: readonly LeaseFault[] = ['none', 'none', 'lost', 'deaf', 'hanging']
  for (let step = 0; step < 60; step += 1) {
    for (const run of runs) {
      // Seldom drawn anew: an outage has to last for a Lease to be found stale.
      if (draw.next() < 0.1) run.holder.client.fault = faults[Math.floor(draw.next() * faults.length)] ?? 'none'
      const state = run.holder.keeper.state().kind
      if (state === 'lost') {
        run.process += 3
        run.holder = holder({ ...run.facts, seed: run.process })
      } else if (state === 'held' && draw.next() < 0.05) calls.push(run.holder.keeper.release(never))
      else if (state === 'free') calls.push(acquire(run.holder, 'worker-1', true))
    }
    await clock.advance(1 + draw.next() * 4_000)
    const acting = runs.filter(({ holder: { keeper } }) => keeper.mayAct())
    assert.ok(acting.length <= 1, `seed ${seed}, step ${step}: ${acting.length} may act`)
  }
  stop.abort()
  await clock.advance(1_000_000)
  await Promise.all(calls)
}

test('never may two act, whatever the API does to their calls', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0 }), (seed) => raceForSlot(seed)),
    { numRuns: 100 },
  )
})
