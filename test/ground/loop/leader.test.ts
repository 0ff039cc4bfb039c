import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Candidate, LEADER_LEASE } from '../../support/candidate.ts'
import { LeaseStore } from '../../support/lease-store.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

function aPlace() {
  const clock = new VirtualClock()
  const store = new LeaseStore(clock)
  const candidate = (name: string, more: { latencyMs?: number; durationMs?: number } = {}) =>
    new Candidate({ store, clock, name, ...more })
  return { clock, store, candidate }
}

const leading = (...candidates: readonly Candidate[]): string =>
  candidates
    .filter(({ leader }) => leader.isLeading())
    .map(({ name }) => name)
    .join()

test('of several that begin at once one leads, and goes on leading', async () => {
  const { clock, candidate } = aPlace()
  const all = ['a', 'b', 'c'].map((name) => candidate(name, { latencyMs: 50 }))
  for (let n = 0; n < 300; n += 1) {
    await clock.advance(1_000)
    assert.equal(leading(...all), 'a')
  }
  assert.deepEqual(
    all.map(({ leader }) => leader.status().holder),
    ['a', 'a', 'a'],
  )
  await Promise.all(all.map((one) => one.end()))
  assert.equal(clock.sleeping(), 0)
})

test('a leader that is dead is followed after the duration as the others saw it, and not sooner', async () => {
  const { clock, store, candidate } = aPlace()
  const a = candidate('a')
  await clock.advance(1_000)
  const b = candidate('b')
  await clock.advance(10_000)
  await a.end()
  const renewed = store.get(LEADER_LEASE)?.renewTime
  await clock.advance(12_000)
  assert.equal(leading(b), '')
  await clock.advance(8_000)
  assert.equal(leading(b), 'b')
  assert.notEqual(store.get(LEADER_LEASE)?.renewTime, renewed)
  assert.equal(store.get(LEADER_LEASE)?.transitions, 1)
})

test('a Lease that is given back is taken within two tries, and the process that gave it back acts no more', async () => {
  const { clock, store, candidate } = aPlace()
  const [a, b] = [candidate('a'), candidate('b')]
  await clock.advance(5_000)
  assert.equal(leading(a, b), 'a')
  await a.release()
  assert.equal(leading(a, b), '')
  assert.equal(store.get(LEADER_LEASE)?.holder, '')
  await clock.advance(5_000)
  assert.equal(leading(a, b), 'b')
  await clock.advance(100_000)
  assert.equal(leading(a, b), 'b')
})

test('a standby that is stopped leaves the Lease alone', async () => {
  const { clock, candidate } = aPlace()
  const [a, b] = [candidate('a'), candidate('b')]
  await clock.advance(5_000)
  await b.release()
  await clock.advance(5_000)
  assert.equal(leading(a, b), 'a')
})

test('what may still be done is counted from when the renewal was sent, not from its answer', async () => {
  const { clock, candidate } = aPlace()
  const a = candidate('a', { latencyMs: 1_000 })
  await clock.advance(2_000)
  assert.equal(a.leader.mayActForMs(), 9_000)
})

test('two that are told different durations wait for the longer one', async () => {
  const { clock, candidate } = aPlace()
  const a = candidate('a', { durationMs: 60_000 })
  await clock.advance(1_000)
  const b = candidate('b', { durationMs: 5_000 })
  await clock.advance(1_000)
  await a.end()
  await clock.advance(55_000)
  assert.equal(leading(b), '')
  await clock.advance(10_000)
  assert.equal(leading(b), 'b')
})

test('a claim whose answer was lost is ours once it is written again', async () => {
  const { clock, store, candidate } = aPlace()
  const a = candidate('a')
  a.client.fault = 'deaf'
  await clock.advance(4_000)
  assert.equal(store.get(LEADER_LEASE)?.holder, 'a')
  assert.equal(leading(a), '')
  a.client.fault = 'none'
  await clock.advance(4_000)
  assert.equal(leading(a), 'a')
})

test('a process that leads no more says why, and never leads again', async () => {
  const { clock, store, candidate } = aPlace()
  const a = candidate('a')
  await clock.advance(1_000)
  const taken = store.get(LEADER_LEASE)
  assert.ok(taken)
  store.put({ ...taken, holder: 'somebody' })
  await clock.advance(3_000)
  assert.deepEqual(a.over, { code: 'LeadershipLost', text: 'this process no longer holds the Lease: held by somebody' })
  store.delete(LEADER_LEASE)
  await clock.advance(100_000)
  assert.equal(leading(a), '')
  assert.equal(a.leader.status().state, 'over')
})

test('a client that writes something else into the Lease, and leaves the holder in it, costs the leader nothing', async () => {
  const { clock, store, candidate } = aPlace()
  const a = candidate('a')
  for (let n = 0; n < 20; n += 1) {
    await clock.advance(3_000)
    const found = store.get(LEADER_LEASE)
    assert.ok(found)
    store.put({ ...found, annotations: { note: String(n) } })
  }
  assert.equal(leading(a), 'a')
  assert.equal(store.get(LEADER_LEASE)?.annotations.note, '19')
})
