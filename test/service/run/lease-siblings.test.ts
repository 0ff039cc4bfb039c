import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LeaseKeeper } from '../../../src/service/run/lease-keeper.ts'
import { LeaseStore } from '../../support/lease-store.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

/** Two keepers of one process, and one of a process that is no more. */
function scene() {
  const clock = new VirtualClock()
  const store = new LeaseStore(clock)
  const client = store.client()
  const keeperOf = (nonce: string, siblings: () => readonly LeaseKeeper[]): LeaseKeeper =>
    new LeaseKeeper({
      cluster: nonce === 'p1' ? client : store.client(),
      clock,
      random: new SeededRandom(7),
      slot: SLOT,
      run: 'run-1',
      nonce,
      siblings,
      durationMs: 30_000,
      onChange: () => undefined,
    })
  const both = (): readonly LeaseKeeper[] => [first, second]
  const first = keeperOf('p1', both)
  const second = keeperOf('p2', both)
  return { store, client, first, second, next: keeperOf('p3', () => []) }
}

const SLOT = { namespace: 'evenkeel', name: 'slot-0' }
const never = new AbortController().signal

test('a slot that another keeper of the same process holds is taken, and one that a dead process of the run held is not', async () => {
  const { first, second, next } = scene()
  const taken = await first.acquire({ node: 'n1', takeStale: false }, never)
  const refused = await second.acquire({ node: 'n2', takeStale: false }, never)
  assert.deepEqual([taken.kind, refused.kind], ['held', 'taken'])
  assert.equal((await next.acquire({ node: 'n1', takeStale: false }, never)).kind, 'held')
})

test('a slot whose Lease people deleted is left to the keeper of the same process that has it, which makes it anew', async () => {
  const { store, first, second } = scene()
  await first.acquire({ node: 'n1', takeStale: false }, never)
  store.delete(SLOT)
  assert.equal((await second.acquire({ node: 'n2', takeStale: false }, never)).kind, 'taken')
  assert.equal((await first.renewNow(never)).kind, 'renewed')
  assert.equal(first.state().kind, 'held')
})

test('a slot that was claimed without an answer is taken by the keeper whose name it bears', async () => {
  const { client, first } = scene()
  client.afterRead = () => {
    client.fault = 'deaf'
  }
  assert.equal((await first.acquire({ node: 'n1', takeStale: false }, never)).kind, 'unanswered')
  client.afterRead = () => undefined
  client.fault = 'none'
  assert.equal((await first.acquire({ node: 'n1', takeStale: false }, never)).kind, 'held')
})
