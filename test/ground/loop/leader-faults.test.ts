import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { Candidate, LEADER_LEASE } from '../../support/candidate.ts'
import { type LeaseFault, LeaseStore } from '../../support/lease-store.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

function aPair() {
  const clock = new VirtualClock()
  const store = new LeaseStore(clock)
  const [a, b] = ['a', 'b'].map((name) => new Candidate({ store, clock, name, latencyMs: 20 }))
  assert.ok(a !== undefined && b !== undefined)
  return { clock, store, a, b }
}

const acting = (...all: readonly Candidate[]): readonly Candidate[] => all.filter(({ leader }) => leader.isLeading())

test('a leader that is cut off stops acting a third of the duration before another may lead, and says why', async () => {
  for (const fault of ['lost', 'hanging', 'forbidden'] as const) {
    const { clock, a, b } = aPair()
    await clock.advance(5_000)
    assert.deepEqual(acting(a, b), [a])
    a.client.fault = fault
    let stoppedAt = 0
    let followedAt = 0
    for (let ms = 0; ms < 40_000 && followedAt === 0; ms += 10) {
      await clock.advance(10)
      if (stoppedAt === 0 && !a.leader.isLeading()) stoppedAt = ms
      if (b.leader.isLeading()) followedAt = ms
      assert.ok(acting(a, b).length <= 1)
    }
    assert.ok(stoppedAt > 0 && followedAt - stoppedAt >= 5_000, `${fault}: ${stoppedAt}, ${followedAt}`)
    assert.equal(a.over?.code, 'LeadershipLapsed')
    assert.match(a.over?.text ?? '', /within 10 s/)
    await Promise.all([a.end(), b.end()])
    assert.equal(clock.sleeping(), 0)
  }
})

test('an API server that is away for less than the leader has does not change who leads', async () => {
  const { clock, a, b } = aPair()
  await clock.advance(5_000)
  for (let n = 0; n < 10; n += 1) {
    for (const one of [a, b]) one.client.fault = 'lost'
    await clock.advance(5_000)
    for (const one of [a, b]) one.client.fault = 'none'
    await clock.advance(5_000)
    assert.deepEqual(acting(a, b), [a])
  }
})

test('an API server that is away for long ends the leader, and a standby waits for it without an end', async () => {
  const { clock, a, b } = aPair()
  await clock.advance(5_000)
  for (const one of [a, b]) one.client.fault = 'lost'
  await clock.advance(600_000)
  assert.deepEqual(acting(a, b), [])
  assert.equal(a.over?.code, 'LeadershipLapsed')
  assert.equal(b.over, undefined)
  assert.match(b.leader.status().trouble ?? '', /ECONNREFUSED/)
  for (const one of [a, b]) one.client.fault = 'none'
  // It may not have seen the last renewal yet, and then looks at it for the duration.
  await clock.advance(20_000)
  assert.deepEqual(acting(a, b), [b])
})

test('a leader whose machine slept acts no more when it wakes, though its own clock stood still', async () => {
  const [asleep, awake] = [new VirtualClock(), new VirtualClock()]
  const store = new LeaseStore(awake)
  const a = new Candidate({ store, clock: asleep, name: 'a' })
  const b = new Candidate({ store, clock: awake, name: 'b' })
  await asleep.advance(1)
  await awake.advance(5_000)
  assert.deepEqual(acting(a, b), [a])
  await awake.advance(30_000)
  const waking = asleep.suspend(35_000)
  assert.deepEqual(acting(a, b), [b])
  await waking
  assert.equal(a.over?.code, 'LeadershipLapsed')
  await Promise.all([a.end(), b.end()])
})

test('a clock that is set, by hours and both ways, changes nothing', async () => {
  const { clock, a, b } = aPair()
  await clock.advance(5_000)
  for (const jumpMs of [3_600_000, -7_200_000, 86_400_000, -1]) {
    clock.jumpWall(jumpMs)
    await clock.advance(10_000)
    assert.deepEqual(acting(a, b), [a])
  }
})

test('a storm of conflicts is met with pauses, and the process that stays in the Lease keeps it', async () => {
  const { clock, store, a, b } = aPair()
  await clock.advance(5_000)
  let calls = 0
  const { writeLease } = a.client
  a.client.writeLease = async (...call) => {
    calls += 1
    const found = store.get(LEADER_LEASE)
    // Another client writes a note on it just before each try; every fourth try is let through.
    if (found !== undefined && calls % 4 !== 0) store.put({ ...found, annotations: { note: String(calls) } })
    return writeLease.apply(a.client, call)
  }
  await clock.advance(120_000)
  assert.deepEqual(acting(a, b), [a])
  assert.ok(calls < 240, `${calls} writes in two minutes`)
})

test('a storm that lets no renewal through ends the leader in time, though it is still named in the Lease', async () => {
  const { clock, store, a, b } = aPair()
  await clock.advance(5_000)
  a.client.writeLease = async () => {
    const found = store.get(LEADER_LEASE)
    assert.ok(found)
    store.put({ ...found, annotations: { note: String(clock.monoMs()) } })
    throw new WorldError('the object has been modified', { code: 'KUBE_CONFLICT', retry: 'now' })
  }
  await clock.advance(8_000)
  const restMs = a.leader.mayActForMs()
  assert.ok(restMs <= 2_000, `${restMs} ms are left`)
  await clock.advance(2_000)
  assert.deepEqual(acting(a, b), [])
  assert.equal(a.over?.code, 'LeadershipLapsed')
  await clock.advance(20_000)
  assert.deepEqual(acting(a, b), [b])
})

test('a process that was frozen learns from its next renewal that another leads', async () => {
  const [asleep, awake] = [new VirtualClock(), new VirtualClock()]
  const store = new LeaseStore(awake)
  const a = new Candidate({ store, clock: asleep, name: 'a' })
  await asleep.advance(0)
  const b = new Candidate({ store, clock: awake, name: 'b' })
  await awake.advance(60_000)
  assert.deepEqual(acting(b), [b])
  assert.deepEqual(acting(a), [a], 'it saw no time pass: what it writes is refused by its version')
  await asleep.advance(3_000)
  assert.deepEqual(acting(a), [])
  assert.equal(a.over?.code, 'LeadershipLost')
})

/** Three candidates, replaced when they end, over an API that fails in every way. */
async function race(seed: number): Promise<void> {
  const draw = new SeededRandom(seed)
  const clock = new VirtualClock()
  const store = new LeaseStore(clock)
  let born = 0
  const next = (): Candidate =>
    new Candidate({ store, clock, name: String.fromCharCode(97 + born++), latencyMs: draw.next() * 200 })
  const all = [next(), next(), next()]
  const faults: readonly LeaseFault[] = ['none', 'none', 'lost', 'deaf', 'hanging', 'forbidden']
  const gone: Promise<unknown>[] = []
  for (let step = 0; step < 80; step += 1) {
    for (const [i, one] of all.entries()) {
      if (draw.next() < 0.1) one.client.fault = faults[Math.floor(draw.next() * faults.length)] ?? 'none'
      if (one.over !== undefined) all[i] = next()
      else if (draw.next() < 0.02) {
        gone.push(one.release().catch(() => undefined))
        all[i] = next()
      }
    }
    await clock.advance(1 + draw.next() * 3_000)
    assert.ok(acting(...all).length <= 1, `seed ${seed}, step ${step}: ${acting(...all).map(({ name }) => name)} act`)
  }
  for (const one of all) one.client.fault = 'none'
  await clock.advance(60_000)
  const alive = all.filter(({ over }) => over === undefined)
  assert.equal(
    acting(...all).length,
    alive.length === 0 ? 0 : 1,
    `seed ${seed}: one of ${alive.length} leads in the end`,
  )
  gone.push(...all.map((one) => one.end()))
  await clock.advance(60_000)
  await Promise.all(gone)
}

test('never do two act, whatever the API does to their calls, and in the end one does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0 }), (seed) => race(seed)),
    { numRuns: 100 },
  )
})
