import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { LeaseKeeper } from '../../../src/service/run/lease-keeper.ts'
import { FlakyLeases } from '../../support/flaky-leases.ts'
import { LeaseStore } from '../../support/lease-store.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal
const SLOT = { namespace: 'evenkeel', name: 'slot-0' }
const WANTED = { node: 'n1', takeStale: false }
const UNREACHABLE = new WorldError('connect ECONNREFUSED', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
const FORBIDDEN = new WorldError('leases is forbidden', { code: 'KUBE_FORBIDDEN', retry: 'never' })

/** A keeper whose dice always fall on the highest side. */
function aKeeper({ durationMs = 30_000, nonce = 'p1' } = {}) {
  const clock = new VirtualClock()
  const store = new LeaseStore(clock)
  const client = store.client()
  const leases = new FlakyLeases(client)
  const changes: string[] = []
  const keeper = new LeaseKeeper({
    cluster: leases,
    clock,
    random: { next: () => 1, hex: () => '' },
    slot: SLOT,
    run: 'run-1',
    nonce,
    durationMs,
    onChange: () => changes.push(keeper.state().kind),
  })
  /** The slot, held by this holder. */
  const put = (holder: string): void =>
    store.put({
      ...SLOT,
      resourceVersion: '',
      holder,
      durationSeconds: 30,
      renewTime: '',
      transitions: 3,
      annotations: { team: 'ops' },
    })
  return { clock, store, client, leases, changes, keeper, put }
}

test('a Lease that lasts less than a second, or a nonce with a slash in it, is a bug', () => {
  assert.throws(() => aKeeper({ durationMs: 999 }), { message: 'a Lease lasts a second at least' })
  assert.throws(() => aKeeper({ nonce: 'p/1' }), { message: 'a nonce has no slash' })
  aKeeper({ durationMs: 1_000 })
})

test('a slot that is held already is held, without another write, and is for that node alone', async () => {
  const { keeper, leases } = aKeeper()
  await keeper.acquire(WANTED, never)
  assert.deepEqual(await keeper.acquire(WANTED, never), { kind: 'held' })
  assert.equal(leases.writes, 1)
  assert.throws(() => keeper.acquire({ ...WANTED, node: 'n2' }, never), { message: 'a slot is for one node' })
})

test('a lost slot is not asked for again', async () => {
  const { keeper, put } = aKeeper()
  await keeper.acquire(WANTED, never)
  put('run-2/p7')
  await keeper.renewNow(never)
  assert.throws(() => keeper.acquire(WANTED, never), { message: 'a lost slot is not taken again' })
})

test('nothing is renewed or released where nothing is held', async () => {
  const { keeper, leases, changes } = aKeeper()
  assert.deepEqual(await keeper.renewNow(never), { kind: 'free' })
  assert.deepEqual(await keeper.release(never), { kind: 'free' })
  assert.deepEqual([leases.reads, leases.writes, changes], [0, 0, []])
})

test('a claim that another process was faster with names the owner of the slot, where it has one', async () => {
  const owned = aKeeper()
  owned.leases.meanwhile = () => owned.put('run-2/p7')
  assert.deepEqual(await owned.keeper.acquire(WANTED, never), {
    kind: 'taken',
    staleInMs: 30_000,
    owner: { holder: 'run-2/p7', run: 'run-2' },
  })
  const free = aKeeper()
  free.leases.meanwhile = () => free.put('')
  assert.deepEqual(await free.keeper.acquire(WANTED, never), { kind: 'taken', staleInMs: 30_000 })
})

test('a claim that the API did not answer is no answer, and counts as our own once it is read', async () => {
  const { keeper, client, store, leases } = aKeeper()
  leases.writeError = UNREACHABLE
  assert.deepEqual(await keeper.acquire(WANTED, never), { kind: 'unanswered', error: UNREACHABLE })
  assert.equal(leases.reads, 1)
  leases.writeError = undefined
  client.fault = 'deaf'
  assert.equal((await keeper.acquire(WANTED, never)).kind, 'unanswered')
  leases.meanwhile = () => {
    client.fault = 'deaf'
  }
  client.fault = 'none'
  assert.equal((await keeper.acquire(WANTED, never)).kind, 'unanswered')
  assert.equal(store.get(SLOT)?.holder, 'run-1/p1')
  client.fault = 'none'
  assert.deepEqual(await keeper.acquire(WANTED, never), { kind: 'held' })
  assert.equal(store.get(SLOT)?.transitions, 0)
})

test('a renewal that is forbidden is tried once, and after one that is not answered the owner of the slot is not read', async () => {
  for (const [error, reads] of [
    [FORBIDDEN, 2],
    [UNREACHABLE, 1],
  ] as const) {
    const { keeper, leases } = aKeeper()
    await keeper.acquire(WANTED, never)
    leases.writeError = error
    assert.deepEqual(await keeper.renewNow(never), { kind: 'unanswered', error })
    assert.deepEqual([leases.reads, leases.writes], [reads, 2])
    assert.equal(keeper.state().kind, 'held')
  }
})

test('a renewal that is forbidden while another holds the slot is a loss, and one that is not answered is none', async () => {
  for (const [error, state] of [
    [FORBIDDEN, 'lost'],
    [UNREACHABLE, 'held'],
  ] as const) {
    const { keeper, leases, put } = aKeeper()
    await keeper.acquire(WANTED, never)
    put('run-2/p7')
    leases.writeError = error
    await keeper.renewNow(never)
    assert.equal(keeper.state().kind, state)
  }
})

test('a slot that another process took before it was released is lost, and left alone', async () => {
  const { keeper, store, put, changes } = aKeeper()
  await keeper.acquire(WANTED, never)
  put('run-2/p7')
  assert.deepEqual(await keeper.release(never), { kind: 'lost' })
  assert.deepEqual(keeper.state(), { kind: 'lost', node: 'n1', owner: { holder: 'run-2/p7', run: 'run-2' } })
  assert.equal(store.get(SLOT)?.holder, 'run-2/p7')
  assert.deepEqual(changes, ['held', 'lost'])
})

test('what others noted on the Lease stays when the slot is released', async () => {
  const { keeper, store, put } = aKeeper()
  put('')
  await keeper.acquire(WANTED, never)
  await keeper.release(never)
  assert.deepEqual(store.get(SLOT)?.annotations, { team: 'ops' })
})

test('a process that holds the slot gives it back as a release does, and a process that does not says that it is free', async () => {
  const { keeper, store } = aKeeper()
  assert.deepEqual(await keeper.giveBack(never), { kind: 'free' })
  assert.equal(store.get(SLOT), undefined)
  await keeper.acquire(WANTED, never)
  assert.deepEqual(await keeper.giveBack(never), { kind: 'free' })
  assert.deepEqual(keeper.state(), { kind: 'free' })
  assert.equal(store.get(SLOT)?.holder, '')
})

test('a try for the slot of a dead process that is refused, or not answered, leaves it, and the next one clears it', async () => {
  const { keeper, store, put, client, leases, clock } = aKeeper()
  put('run-1/dead')
  client.fault = 'hanging'
  const hung = keeper.giveBack(never)
  await clock.advance(7_500)
  assert.equal((await hung).kind, 'unanswered')
  client.fault = 'none'
  leases.writeError = FORBIDDEN
  assert.equal((await keeper.giveBack(never)).kind, 'unanswered')
  assert.equal(store.get(SLOT)?.holder, 'run-1/dead')
  leases.writeError = undefined
  assert.deepEqual(await keeper.giveBack(never), { kind: 'free' })
  assert.equal(store.get(SLOT)?.holder, '')
})

test('a release that is refused is tried for as long as the Lease lasts, and then the slot is stale and nobody’s', async () => {
  const { keeper, store, leases, clock, changes } = aKeeper()
  await keeper.acquire(WANTED, never)
  leases.writeError = FORBIDDEN
  await clock.advance(29_000)
  assert.equal((await keeper.release(never)).kind, 'unanswered')
  assert.equal(keeper.state().kind, 'held')
  await clock.advance(1_000)
  assert.deepEqual(await keeper.release(never), { kind: 'stale', error: FORBIDDEN })
  assert.deepEqual([keeper.state(), keeper.mayAct()], [{ kind: 'free' }, false])
  assert.equal(store.get(SLOT)?.holder, 'run-1/p1')
  leases.writeError = undefined
  assert.deepEqual(await keeper.acquire({ node: 'n2', takeStale: false }, never), { kind: 'held' })
  assert.deepEqual(changes, ['held', 'free', 'held'])
})

test('a call that hangs is given up after a quarter of the duration', async () => {
  const { keeper, clock, client } = aKeeper()
  await keeper.acquire(WANTED, never)
  client.fault = 'hanging'
  const renewal = keeper.renewNow(never)
  await clock.advance(7_500)
  const write = await renewal
  assert.ok(write.kind === 'unanswered')
  assert.equal(write.error.message, 'the Lease write did not answer within 7500 ms')
  const { keeper: other, clock: itsClock, client: itsClient } = aKeeper()
  itsClient.fault = 'hanging'
  const claim = other.acquire(WANTED, never)
  await itsClock.advance(7_500)
  const read = await claim
  assert.ok(read.kind === 'unanswered')
  assert.equal(read.error.message, 'the Lease read did not answer within 7500 ms')
})

test('pauses between renewals that fail grow, and begin small after one that passes', async () => {
  const { keeper, clock, leases } = aKeeper()
  keeper.run(never).catch(() => undefined)
  await keeper.acquire(WANTED, never)
  const failures = async (untilMs: number): Promise<number> => {
    const before = leases.writes
    leases.writeError = UNREACHABLE
    await clock.advance(untilMs)
    leases.writeError = undefined
    return leases.writes - before
  }
  // At 5,000 ms, and then after 500, 1,000 and 2,000 ms.
  assert.equal(await failures(8_600), 4)
  await clock.advance(4_000)
  assert.equal(keeper.mayActForMs() > 15_000, true)
  const sinceRenewalMs = 20_000 - keeper.mayActForMs()
  assert.equal(await failures(5_000 - sinceRenewalMs + 600), 2)
})

test('a bug is thrown', async () => {
  const { keeper, leases } = aKeeper()
  const bug = new TypeError('a bug')
  leases.writeError = bug
  await assert.rejects(keeper.acquire(WANTED, never), (error) => error === bug)
})
