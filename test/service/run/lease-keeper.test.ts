import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lease } from '../../../src/ground/model/lease.ts'
import { LeaseKeeper } from '../../../src/service/run/lease-keeper.ts'
import type { AcquireAnswer } from '../../../src/service/run/slot-answer.ts'
import { type LeaseClient, LeaseStore } from '../../support/lease-store.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal
const SLOT = { namespace: 'evenkeel', name: 'slot-0' }
const DURATION_MS = 30_000

interface Holder {
  readonly keeper: LeaseKeeper
  readonly client: LeaseClient
  readonly changes: string[]
  /** The process is killed: it renews no more. */
  kill(): void
}

function holder(store: LeaseStore, clock: VirtualClock, run: string, nonce: string): Holder {
  const client = store.client()
  const changes: string[] = []
  const stop = new AbortController()
  const keeper = new LeaseKeeper({
    cluster: client,
    clock,
    random: new SeededRandom(7),
    slot: SLOT,
    run,
    nonce,
    durationMs: DURATION_MS,
    onChange: () => changes.push(keeper.state().kind),
  })
  keeper.run(stop.signal).catch((reason: unknown) => changes.push(reason instanceof Error ? reason.message : ''))
  return { keeper, client, changes, kill: () => stop.abort(new Error('killed')) }
}

function world() {
  const clock = new VirtualClock()
  const store = new LeaseStore(clock)
  return { clock, store, start: (run: string, nonce = 'p1') => holder(store, clock, run, nonce) }
}

const acquire = (from: Holder, node = 'worker-1', takeStale = false): Promise<AcquireAnswer> =>
  from.keeper.acquire({ node, takeStale }, never)

const lease = (change: Partial<Lease>): Lease => ({
  ...SLOT,
  resourceVersion: '',
  holder: '',
  durationSeconds: 30,
  renewTime: '2026-01-01T00:00:00.000000Z',
  transitions: 0,
  annotations: {},
  ...change,
})

test('a slot that is not there is made, and names run and node', async () => {
  const { store, start } = world()
  assert.deepEqual(await acquire(start('roll-a')), { kind: 'held' })
  const stored = store.get(SLOT)
  assert.equal(stored?.holder, 'roll-a/p1')
  assert.equal(stored?.durationSeconds, 30)
  assert.equal(stored?.transitions, 0)
  assert.deepEqual(stored?.annotations, { 'evenkeel.dev/run': 'roll-a', 'evenkeel.dev/node': 'worker-1' })
  assert.match(stored?.renewTime ?? '', /^2026-01-01T00:00:00\.000\d{3}Z$/)
})

test('a slot that no process holds is taken at once, and what others noted on it stays', async () => {
  const { store, start } = world()
  store.put(lease({ transitions: 4, annotations: { team: 'ops' } }))
  assert.deepEqual(await acquire(start('roll-a')), { kind: 'held' })
  assert.equal(store.get(SLOT)?.transitions, 5)
  assert.equal(store.get(SLOT)?.annotations.team, 'ops')
})

test('while it is held it is renewed at least every sixth of its duration, and the holder may act', async () => {
  const { clock, store, start } = world()
  const a = start('roll-a')
  await acquire(a)
  const before = store.writes
  for (let second = 0; second < 300; second += 1) {
    await clock.advance(1_000)
    assert.ok(a.keeper.mayActForMs() >= 15_000 - 1, `${a.keeper.mayActForMs()} ms left after ${second} s`)
  }
  const renewals = store.writes - before
  assert.ok(renewals >= 60 && renewals <= 75, `${renewals} renewals in 300 s`)
  assert.deepEqual(a.changes, ['held'])
})

test('each renewal is another renewTime even where the clock of the machine stands still', async () => {
  const { clock, store, start } = world()
  const a = start('roll-a')
  await acquire(a)
  const seen = new Set<string>()
  for (let n = 0; n < 50; n += 1) {
    await a.keeper.renewNow(never)
    seen.add(store.get(SLOT)?.resourceVersion ?? '')
  }
  assert.equal(clock.monoMs(), 0)
  assert.equal(seen.size, 50)
})

test('another run does not get it while it is renewed, however long it waits', async () => {
  const { clock, start } = world()
  const [a, b] = [start('roll-a'), start('roll-b')]
  await acquire(a)
  for (let second = 0; second < 120; second += 1) {
    const answer = await acquire(b, 'worker-2', true)
    assert.equal(answer.kind, 'taken')
    if (answer.kind === 'taken') {
      assert.deepEqual(answer.owner, { holder: 'roll-a/p1', run: 'roll-a', node: 'worker-1' })
      assert.ok(answer.staleInMs > 0)
    }
    await clock.advance(1_000)
  }
})

test('a dead holder is stale after the duration as seen by the observer, not by what the Lease says', async () => {
  const { clock, store, start } = world()
  store.put(lease({ holder: 'roll-x/p9', renewTime: '1999-01-01T00:00:00.000000Z' }))
  const b = start('roll-b')
  // However long it was there before a process looked.
  await clock.advance(1_000_000)
  assert.equal((await acquire(b, 'worker-2', true)).kind, 'taken')
  await clock.advance(DURATION_MS - 1)
  assert.deepEqual(await acquire(b, 'worker-2', true), {
    kind: 'taken',
    owner: { holder: 'roll-x/p9', run: 'roll-x' },
    staleInMs: 1,
  })
  await clock.advance(1)
  assert.deepEqual(await acquire(b, 'worker-2', true), {
    kind: 'held',
    previous: { holder: 'roll-x/p9', run: 'roll-x' },
  })
})

test('a stale Lease of another run is left alone unless taking over is asked for', async () => {
  const { clock, store, start } = world()
  store.put(lease({ holder: 'roll-x/p9' }))
  const b = start('roll-b')
  await acquire(b)
  await clock.advance(DURATION_MS)
  assert.deepEqual(await acquire(b), {
    kind: 'taken',
    owner: { holder: 'roll-x/p9', run: 'roll-x' },
    staleInMs: 0,
  })
  assert.equal(store.get(SLOT)?.holder, 'roll-x/p9')
})

for (const [title, durationSeconds, staleAfterMs] of [
  ['a Lease that claims no duration is not stale at once', 0, DURATION_MS],
  ['a Lease that claims a negative duration is not stale at once', -5, DURATION_MS],
  ['a Lease whose duration is no number is not stale at once', Number.NaN, DURATION_MS],
  ['a Lease with a longer duration than ours is given its time', 45, 45_000],
  ['a Lease with a shorter duration than ours is given ours', 15, 30_000],
] as const) {
  test(title, async () => {
    const { clock, store, start } = world()
    store.put(lease({ holder: 'somebody', durationSeconds }))
    const b = start('roll-b')
    await acquire(b, 'worker-1', true)
    await clock.advance(staleAfterMs - 1)
    assert.equal((await acquire(b, 'worker-1', true)).kind, 'taken')
    await clock.advance(1)
    assert.equal((await acquire(b, 'worker-1', true)).kind, 'held')
  })
}

test('the same run takes its slot back at once, and says that it was its own', async () => {
  const { store, start } = world()
  const first = start('roll-a', 'p1')
  await acquire(first)
  first.kill()
  const second = start('roll-a', 'p2')
  assert.deepEqual(await acquire(second), {
    kind: 'held',
    previous: { holder: 'roll-a/p1', run: 'roll-a', node: 'worker-1' },
  })
  assert.equal(store.get(SLOT)?.holder, 'roll-a/p2')
})

test('a slot that a process of the same run died with is given back, and that of another run is not', async () => {
  const { store, start } = world()
  const dead = start('run-a', 'p1')
  await acquire(dead)
  dead.kill()
  await start('run-b').keeper.giveBack(never)
  assert.equal(store.get(SLOT)?.holder, 'run-a/p1')
  await start('run-a', 'p2').keeper.giveBack(never)
  assert.equal(store.get(SLOT)?.holder, '')
})

test('a run whose name begins like ours is another run', async () => {
  const { store, start } = world()
  store.put(lease({ holder: 'roll-ab/p1' }))
  assert.equal((await acquire(start('roll-a'))).kind, 'taken')
})

test('a process that lost the slot to another process has lost it for good and may not act', async () => {
  const { clock, store, start } = world()
  const a = start('roll-a')
  await acquire(a)
  store.put(lease({ holder: 'roll-b/p1', annotations: { 'evenkeel.dev/node': 'worker-2' } }))
  assert.deepEqual(await a.keeper.renewNow(never), { kind: 'lost' })
  const owner = { holder: 'roll-b/p1', run: 'roll-b', node: 'worker-2' }
  assert.deepEqual(a.keeper.state(), { kind: 'lost', node: 'worker-1', owner })
  assert.equal(a.keeper.mayAct(), false)
  store.put(lease({ holder: '' }))
  await clock.advance(DURATION_MS)
  assert.deepEqual(await a.keeper.renewNow(never), { kind: 'lost' })
  assert.deepEqual(await a.keeper.release(never), { kind: 'lost' })
  assert.deepEqual(a.changes, ['held', 'lost'])
  assert.throws(() => acquire(a), { name: 'InvariantError' })
})

test('a slot that another process of the same run has taken is lost as well', async () => {
  const { store, start } = world()
  const a = start('roll-a', 'p1')
  await acquire(a)
  await acquire(start('roll-a', 'p2'))
  assert.deepEqual(await a.keeper.renewNow(never), { kind: 'lost' })
  assert.deepEqual([a.keeper.mayAct(), store.get(SLOT)?.holder], [false, 'roll-a/p2'])
})

test('a slot that is being released is renewed no more, whether or not the release was answered', async () => {
  const { clock, store, start } = world()
  const a = start('roll-a')
  await acquire(a)
  a.client.fault = 'lost'
  assert.equal((await a.keeper.release(never)).kind, 'unanswered')
  a.client.fault = 'none'
  const before = store.writes
  await clock.advance(DURATION_MS)
  assert.equal(store.writes, before)
})

test('a slot that was emptied under its holder is lost', async () => {
  const { store, start } = world()
  const a = start('roll-a')
  await acquire(a)
  store.put(lease({}))
  assert.deepEqual(await a.keeper.renewNow(never), { kind: 'lost' })
  assert.deepEqual(a.keeper.state(), { kind: 'lost', node: 'worker-1' })
})

test('a note that another client writes on the Lease is no loss', async () => {
  const { store, start } = world()
  const a = start('roll-a')
  await acquire(a)
  const stored = store.get(SLOT)
  assert.ok(stored !== undefined)
  store.put({ ...stored, annotations: { ...stored.annotations, seen: 'yes' } })
  assert.deepEqual(await a.keeper.renewNow(never), { kind: 'renewed' })
  assert.equal(store.get(SLOT)?.annotations.seen, 'yes')
  assert.equal(a.keeper.mayAct(), true)
})

test('a release clears the holder, comes last and leaves the slot free for others at once', async () => {
  const { clock, store, start } = world()
  const [a, b] = [start('roll-a'), start('roll-b')]
  await acquire(a)
  assert.equal((await acquire(b)).kind, 'taken')
  assert.deepEqual(await a.keeper.release(never), { kind: 'free' })
  assert.equal(store.get(SLOT)?.holder, '')
  assert.deepEqual(store.get(SLOT)?.annotations, {})
  assert.equal(a.keeper.mayAct(), false)
  assert.deepEqual(await acquire(b), { kind: 'held' })
  await clock.advance(DURATION_MS)
  assert.equal(store.get(SLOT)?.holder, 'roll-b/p1')
  assert.deepEqual(a.changes, ['held', 'free'])
})

test('one keeper holds the slot for one node after the other', async () => {
  const { clock, store, start } = world()
  const a = start('roll-a')
  for (const node of ['worker-1', 'worker-2', 'worker-3']) {
    await acquire(a, node)
    assert.equal(store.get(SLOT)?.annotations['evenkeel.dev/node'], node)
    await clock.advance(DURATION_MS)
    assert.equal(a.keeper.mayAct(), true)
    await a.keeper.release(never)
  }
  assert.equal(clock.sleeping(), 0)
})
