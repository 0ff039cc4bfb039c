import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Leader } from '../../../src/ground/loop/leader.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { LeaseStore } from '../../support/lease-store.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal
const LEASE = { namespace: 'evenkeel', name: 'evenkeel-controller' }

/** One leader of 15 s whose calls take 20 ms, and which always draws the longest pause; `writes`: when it wrote. */
async function leading() {
  const clock = new VirtualClock()
  const store = new LeaseStore(clock)
  const client = store.client(20)
  const writes: number[] = []
  const changes: boolean[] = []
  const world: { refusal: WorldError | undefined } = { refusal: undefined }
  const leader = new Leader({
    cluster: {
      readLease: (ref, signal) => client.readLease(ref, signal),
      writeLease: async (lease, signal) => {
        writes.push(clock.monoMs())
        await clock.sleep(20, signal)
        if (world.refusal !== undefined) throw world.refusal
        return client.writeLease(lease, signal)
      },
    },
    clock,
    random: { next: () => 0.999_999, hex: () => '00' },
    lease: LEASE,
    identity: 'a',
    durationMs: 15_000,
    onChange: () => changes.push(leader.isLeading()),
  })
  const over = leader.run(never)
  await clock.advance(1_000)
  assert.equal(leader.isLeading(), true)
  writes.length = 0
  return { clock, store, writes, changes, world, leader, over }
}

const refusal = (retryAfterMs?: number): WorldError =>
  new WorldError('it is busy', {
    code: 'KUBE_SERVER',
    retry: 'backoff',
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })

test('a renewal that fails is tried again after a pause, until the leader must stop', async () => {
  const { clock, writes, world, over } = await leading()
  world.refusal = refusal()
  await clock.advance(15_000)
  assert.equal((await over).code, 'LeadershipLapsed')
  assert.ok(writes.length >= 3 && writes.length <= 7, `${writes.length} tries`)
})

test('a renewal that the API asks to wait with waits as long as it is asked to', async () => {
  const { clock, writes, world } = await leading()
  world.refusal = refusal(5_000)
  await clock.advance(7_000)
  assert.equal(writes.length, 1)
  await clock.advance(1_500)
  assert.equal(writes.length, 2)
})

test('a listener is called when the process leads, and when that is over', async () => {
  const { clock, changes, leader } = await leading()
  assert.deepEqual(changes, [true])
  const released = leader.release(never)
  await clock.advance(1_000)
  await released
  assert.deepEqual(changes.slice(0, 2), [true, false])
})

test('a Lease that another has by now is not given back', async () => {
  const { clock, store, leader } = await leading()
  const taken = store.get(LEASE) ?? assert.fail('there is no Lease')
  store.put({ ...taken, holder: 'b' })
  const released = leader.release(never)
  await clock.advance(1_000)
  await released
  assert.equal(store.get(LEASE)?.holder, 'b')
})
