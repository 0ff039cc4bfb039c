import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { LeaseKeeper } from '../../../src/service/run/lease-keeper.ts'
import type { AcquireAnswer } from '../../../src/service/run/slot-answer.ts'
import { LeaseStore } from '../../support/lease-store.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal
const SLOT = { namespace: 'evenkeel', name: 'slot-0' }
const DURATION_MS = 30_000

function world() {
  const clock = new VirtualClock()
  const store = new LeaseStore(clock)
  return { clock, store, start: (run: string) => holder(store, clock, run) }
}

function holder(store: LeaseStore, clock: VirtualClock, run: string) {
  const client = store.client()
  const changes: string[] = []
  const keeper = new LeaseKeeper({
    cluster: client,
    clock,
    random: new SeededRandom(7),
    slot: SLOT,
    run,
    nonce: 'p1',
    durationMs: DURATION_MS,
    onChange: () => changes.push(keeper.state().kind),
  })
  void keeper.run(never)
  return { keeper, client, changes }
}

const acquire = ({ keeper }: ReturnType<typeof holder>, node = 'worker-1'): Promise<AcquireAnswer> =>
  keeper.acquire({ node, takeStale: false }, never)

test('a slot that was deleted under its holder is made anew by the next renewal, and stays held', async () => {
  const { clock, store, start } = world()
  const a = start('roll-a')
  await acquire(a)
  store.delete(SLOT)
  await clock.advance(DURATION_MS / 6)
  const { holder, annotations } = store.get(SLOT) ?? {}
  assert.deepEqual(
    [holder, annotations],
    ['roll-a/p1', { 'evenkeel.dev/run': 'roll-a', 'evenkeel.dev/node': 'worker-1' }],
  )
  await clock.advance(10 * DURATION_MS)
  assert.deepEqual([a.keeper.mayAct(), a.changes], [true, ['held']])
})

test('a slot that was deleted and that another run has taken since is lost', async () => {
  const { store, start } = world()
  const [a, b] = [start('roll-a'), start('roll-b')]
  await acquire(a)
  store.delete(SLOT)
  await acquire(b, 'worker-2')
  assert.deepEqual(await a.keeper.renewNow(never), { kind: 'lost' })
  const owner = { holder: 'roll-b/p1', run: 'roll-b', node: 'worker-2' }
  assert.deepEqual(a.keeper.state(), { kind: 'lost', node: 'worker-1', owner })
  assert.equal(store.get(SLOT)?.holder, 'roll-b/p1')
})

test('of two that make a deleted slot anew one is faster, and the other loses it at once', async () => {
  const { store, start } = world()
  const a = start('roll-a')
  await acquire(a)
  store.delete(SLOT)
  a.client.afterRead = () =>
    store.put({
      ...SLOT,
      resourceVersion: '',
      holder: 'roll-b/p1',
      durationSeconds: 30,
      renewTime: '2026-01-01T00:00:00.000000Z',
      transitions: 0,
      annotations: { 'evenkeel.dev/node': 'worker-2' },
    })
  assert.deepEqual(await a.keeper.renewNow(never), { kind: 'lost' })
  assert.deepEqual([a.keeper.mayAct(), store.get(SLOT)?.holder], [false, 'roll-b/p1'])
})

test('a slot that was deleted before its release is free', async () => {
  const { store, start } = world()
  const a = start('roll-a')
  await acquire(a)
  store.delete(SLOT)
  assert.deepEqual(await a.keeper.release(never), { kind: 'free' })
  assert.equal(store.get(SLOT), undefined)
})

test('a slot that was deleted is made anew although the API server refused that with a conflict first', async () => {
  const { clock, store, start } = world()
  const a = start('roll-a')
  await acquire(a)
  store.delete(SLOT)
  const write = a.client.writeLease.bind(a.client)
  let refused = 0
  a.client.writeLease = (lease, signal) => {
    if (lease.resourceVersion !== '' || refused === 2) return write(lease, signal)
    refused += 1
    return Promise.reject(new WorldError('for now', { code: 'KUBE_CONFLICT', retry: 'now' }))
  }
  assert.equal((await a.keeper.renewNow(never)).kind, 'unanswered')
  await clock.advance(DURATION_MS / 2)
  assert.deepEqual([refused, a.changes, store.get(SLOT)?.holder], [2, ['held'], 'roll-a/p1'])
})
