import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Leader } from '../../../src/ground/loop/leader.ts'
import type { Reason } from '../../../src/ground/model/reason.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { LEADER_LEASE } from '../../support/candidate.ts'
import { FlakyLeases } from '../../support/flaky-leases.ts'
import { LeaseStore } from '../../support/lease-store.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal
const UNREACHABLE = new WorldError('connect ECONNREFUSED', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
const CONFLICT = new WorldError('the object has been modified', { code: 'KUBE_CONFLICT', retry: 'now' })
const FORBIDDEN = new WorldError('leases is forbidden', { code: 'KUBE_FORBIDDEN', retry: 'never' })

/** A candidate whose dice always fall on `die`, and whose process can be suspended for `sleptMs`. */
function aCandidate({ die = 0, durationMs = 15_000 } = {}) {
  const clock = new VirtualClock()
  const store = new LeaseStore(clock)
  const client = store.client()
  const leases = new FlakyLeases(client)
  const process = { sleptMs: 0 }
  const changes: string[] = []
  const leader = new Leader({
    cluster: leases,
    clock: {
      monoMs: () => monoMs(clock.monoMs() + process.sleptMs),
      wallMs: () => clock.wallMs(),
      asleepMs: () => clock.asleepMs(),
      sleep: (ms, signal) => clock.sleep(ms, signal),
    },
    random: { next: () => die, hex: () => '' },
    lease: LEADER_LEASE,
    identity: 'a',
    durationMs,
    onChange: () => changes.push(leader.status().state),
  })
  const stop = new AbortController()
  const ended: { reason?: Reason; error?: unknown } = {}
  const begin = (): void => {
    leader.run(stop.signal).then(
      (reason) => {
        ended.reason = reason
      },
      (error: unknown) => {
        ended.error = error
      },
    )
  }
  return { clock, store, client, leases, process, changes, leader, stop, ended, begin }
}

/** A candidate that leads since the time 0. */
async function aLeader(facts: Parameters<typeof aCandidate>[0] = {}) {
  const candidate = aCandidate(facts)
  candidate.begin()
  await candidate.clock.advance(0)
  assert.equal(candidate.leader.status().state, 'leading')
  return candidate
}

/** The Lease in the hands of that holder, whichever process held it before. */
function give(store: LeaseStore, holder: string): void {
  const lease = store.get(LEADER_LEASE)
  assert.ok(lease)
  store.put({ ...lease, holder })
}

test('a Lease that lasts less than a second is a bug', () => {
  assert.throws(() => aCandidate({ durationMs: 999 }), { message: 'a Lease lasts a second at least' })
  aCandidate({ durationMs: 1_000 })
})

test('the view tells standby, leading and over, who holds the Lease, and how long ago it was asked for', async () => {
  const { clock, leader, begin, changes, stop } = aCandidate()
  await clock.advance(500)
  assert.deepEqual(leader.status(), { state: 'standby', holder: '', triedAgoMs: 500 })
  begin()
  await clock.advance(300)
  assert.deepEqual(leader.status(), { state: 'leading', holder: 'a', triedAgoMs: 300 })
  stop.abort(new Error('SIGTERM'))
  await clock.advance(0)
  assert.equal(leader.status().state, 'leading')
  await leader.release(never)
  assert.deepEqual(leader.status(), { state: 'over', holder: '', triedAgoMs: 300 })
  assert.deepEqual(changes, ['leading', 'over'])
})

test('the first renewal comes two fifteenths of the duration after the claim, a fifth more or less', async () => {
  for (const [die, ms] of [
    [0, 1_600],
    [1, 2_400],
  ] as const) {
    const { clock, leases } = await aLeader({ die })
    await clock.advance(ms - 1)
    assert.equal(leases.writes, 1)
    await clock.advance(2)
    assert.equal(leases.writes, 2)
  }
})

test('a claim that another was faster with is no trouble, and one that is refused is', async () => {
  const { clock, leases, leader, begin } = aCandidate()
  leases.writeError = CONFLICT
  begin()
  await clock.advance(10_000)
  assert.equal(leader.status().trouble, undefined)
  assert.equal(leader.status().holder, '')
  leases.writeError = FORBIDDEN
  await clock.advance(2_000)
  assert.equal(leader.status().trouble, 'leases is forbidden')
  leases.writeError = undefined
  await clock.advance(2_000)
  assert.deepEqual([leader.status().state, leader.status().trouble], ['leading', undefined])
})

test('a call that hangs is given up after a third of the duration', async () => {
  const { clock, client, leader, begin } = aCandidate()
  client.fault = 'hanging'
  begin()
  await clock.advance(5_000)
  assert.equal(leader.status().trouble, 'the Lease read did not answer within 5000 ms')
})

test('a renewal that fails is tried again sooner than the next would come, and pauses begin small after a success', async () => {
  const { clock, leases, leader } = await aLeader({ die: 1 })
  leases.writeError = UNREACHABLE
  await clock.advance(2_401)
  assert.equal(leases.writes, 2)
  await clock.advance(998)
  assert.equal(leases.writes, 2)
  await clock.advance(2)
  assert.equal(leases.writes, 3)
  leases.writeError = undefined
  await clock.advance(2_000)
  assert.deepEqual([leases.writes, leader.status().trouble], [4, undefined])
  leases.writeError = UNREACHABLE
  await clock.advance(2_401)
  assert.equal(leases.writes, 5)
  await clock.advance(1_000)
  assert.equal(leases.writes, 6)
})

test('what other clients noted on the Lease stays when it is claimed', async () => {
  const { clock, store, begin } = aCandidate()
  const lease = { ...LEADER_LEASE, resourceVersion: '', holder: '', durationSeconds: 15, renewTime: '', transitions: 2 }
  store.put({ ...lease, annotations: { team: 'ops' } })
  begin()
  await clock.advance(0)
  const { holder, transitions, annotations } = store.get(LEADER_LEASE) ?? {}
  assert.deepEqual({ holder, transitions, annotations }, { holder: 'a', transitions: 3, annotations: { team: 'ops' } })
})

const TAKEN: readonly (readonly [what: string, act: (store: LeaseStore) => void, by: string, holder: string])[] = [
  ['deleted', (store) => store.delete(LEADER_LEASE), 'it was deleted', ''],
  ['emptied', (store) => give(store, ''), 'no process holds it', ''],
  ['taken', (store) => give(store, 'b'), 'held by b', 'b'],
]

for (const [what, act, by, holder] of TAKEN) {
  test(`a leader whose Lease is ${what} leads no more and says so`, async () => {
    const { clock, store, leader, ended, changes } = await aLeader()
    act(store)
    await clock.advance(2_000)
    assert.deepEqual(ended.reason, { code: 'LeadershipLost', text: `this process no longer holds the Lease: ${by}` })
    assert.deepEqual([leader.status().state, leader.status().holder], ['over', holder])
    assert.deepEqual(changes, ['leading', 'over'])
  })
}

test('a leader reads the holder of the Lease after a renewal that is forbidden, and not after one that is not answered', async () => {
  const forbidden = await aLeader()
  give(forbidden.store, 'b')
  forbidden.leases.writeError = FORBIDDEN
  await forbidden.clock.advance(2_000)
  assert.equal(forbidden.ended.reason?.text, 'this process no longer holds the Lease: held by b')
  const silent = await aLeader()
  give(silent.store, 'b')
  silent.leases.writeError = UNREACHABLE
  await silent.clock.advance(9_999)
  assert.equal(silent.leader.status().state, 'leading')
  assert.equal(silent.leases.reads, 1)
  await silent.clock.advance(1)
  const text = 'the Lease could not be renewed within 10 s: connect ECONNREFUSED'
  assert.deepEqual(silent.ended.reason, { code: 'LeadershipLapsed', text })
})

test('a leader whose process was suspended for too long leads no more, and renews nothing before it says so', async () => {
  const { clock, process, leases, ended } = await aLeader()
  process.sleptMs = 20_000
  await clock.advance(2_000)
  assert.deepEqual(ended.reason, { code: 'LeadershipLapsed', text: 'the Lease could not be renewed within 10 s' })
  assert.equal(leases.writes, 1)
})

test('a bug is thrown, by a standby and by a leader', async () => {
  const bug = new TypeError('a bug')
  const standby = aCandidate()
  standby.leases.writeError = bug
  standby.begin()
  await standby.clock.advance(0)
  assert.equal(standby.ended.error, bug)
  const leader = await aLeader()
  leader.leases.writeError = bug
  await leader.clock.advance(2_000)
  assert.equal(leader.ended.error, bug)
})

test('a Lease whose last renewal was not heard of is given back all the same', async () => {
  const { clock, store, client, leader, stop } = await aLeader()
  client.fault = 'deaf'
  await clock.advance(1_600)
  stop.abort(new Error('SIGTERM'))
  client.fault = 'none'
  await leader.release(never)
  assert.equal(store.get(LEADER_LEASE)?.holder, '')
})

test('a Lease that another process holds by then is not given back, and a release that fails says why', async () => {
  const robbed = await aLeader()
  robbed.stop.abort(new Error('SIGTERM'))
  give(robbed.store, 'b')
  await robbed.leader.release(never)
  assert.equal(robbed.store.get(LEADER_LEASE)?.holder, 'b')
  const forbidden = await aLeader()
  forbidden.stop.abort(new Error('SIGTERM'))
  forbidden.leases.writeError = FORBIDDEN
  await assert.rejects(forbidden.leader.release(never), { code: 'KUBE_FORBIDDEN' })
  assert.equal(forbidden.leases.reads, 1)
})

test('a process that never led has nothing to give back', async () => {
  const { leases, leader } = aCandidate()
  await leader.release(never)
  assert.deepEqual([leases.writes, leader.status().state], [0, 'over'])
})
