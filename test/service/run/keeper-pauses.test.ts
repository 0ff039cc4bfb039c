import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { LeaseKeeper } from '../../../src/service/run/lease-keeper.ts'
import { LeaseStore } from '../../support/lease-store.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal
const SLOT = { namespace: 'evenkeel', name: 'slot-0' }

/** A keeper that holds its slot of 30 s, and always draws the longest pause; `tries`: when it wrote, in ms. */
async function holding(latencyMs = 0) {
  const clock = new VirtualClock()
  const store = new LeaseStore(clock)
  const client = store.client(latencyMs)
  const tries: number[] = []
  const world: { refusal: WorldError | undefined } = { refusal: undefined }
  const keeper = new LeaseKeeper({
    cluster: {
      readLease: (ref, signal) => client.readLease(ref, signal),
      writeLease: async (lease, signal) => {
        tries.push(clock.monoMs())
        if (world.refusal !== undefined) throw world.refusal
        return client.writeLease(lease, signal)
      },
    },
    clock,
    random: { next: () => 0.999_999, hex: () => '00' },
    slot: SLOT,
    run: 'roll-a',
    nonce: 'p1',
    durationMs: 30_000,
    onChange: () => undefined,
  })
  keeper.run(never).catch(() => undefined)
  const acquired = keeper.acquire({ node: 'n1', takeStale: false }, never)
  await clock.advance(2 * latencyMs)
  await acquired
  tries.length = 0
  return { clock, tries, world, keeper, store }
}

test('a renewal that the API asks to wait with waits as long as it is asked to', async () => {
  const { clock, tries, world } = await holding()
  world.refusal = new WorldError('too many', { code: 'KUBE_THROTTLED', retry: 'backoff', retryAfterMs: 9_000 })
  await clock.advance(13_999)
  assert.equal(tries.length, 1)
  await clock.advance(1_000)
  assert.equal(tries.length, 2)
})

test('pauses between renewals that fail become longer, and begin anew after one that passed', async () => {
  const { clock, tries, world } = await holding()
  world.refusal = new WorldError('connect ECONNREFUSED', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
  await clock.advance(20_000)
  const pauses = tries.slice(1).map((at, i) => Math.round(at - (tries[i] ?? 0)))
  assert.deepEqual(pauses, [500, 1000, 2000, 4000, 5000])
  world.refusal = undefined
  await clock.advance(5_000)
  world.refusal = new WorldError('connect ECONNREFUSED', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
  tries.length = 0
  await clock.advance(5_600)
  assert.equal(Math.round((tries[1] ?? 0) - (tries[0] ?? 0)), 500)
})

test('a renewal that is asked for while the slot is released waits, and finds it free', async () => {
  const { clock, keeper, store } = await holding(50)
  const both = Promise.all([keeper.release(never), keeper.renewNow(never)])
  await clock.advance(500)
  assert.deepEqual(await both, [{ kind: 'free' }, { kind: 'free' }])
  assert.deepEqual([keeper.state(), store.get(SLOT)?.holder], [{ kind: 'free' }, ''])
})
