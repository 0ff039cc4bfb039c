import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LeaseKeeper } from '../../../src/service/run/lease-keeper.ts'
import { LeaseStore } from '../../support/lease-store.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

test('a slot that another keeper of the same process holds is taken, and one that a dead process of the run held is not', async () => {
  const clock = new VirtualClock()
  const store = new LeaseStore(clock)
  const never = new AbortController().signal
  const keeperOf = (nonce: string, siblings: () => ReadonlySet<string>): LeaseKeeper =>
    new LeaseKeeper({
      cluster: store.client(),
      clock,
      random: new SeededRandom(7),
      slot: { namespace: 'evenkeel', name: 'slot-0' },
      run: 'run-1',
      nonce,
      siblings,
      durationMs: 30_000,
      onChange: () => undefined,
    })
  const holders = (): ReadonlySet<string> => new Set([first.holder, second.holder])
  const first = keeperOf('p1', holders)
  const second = keeperOf('p2', holders)
  const taken = await first.acquire({ node: 'n1', takeStale: false }, never)
  const refused = await second.acquire({ node: 'n2', takeStale: false }, never)
  assert.deepEqual([taken.kind, refused.kind], ['held', 'taken'])
  const next = keeperOf('p3', () => new Set())
  assert.equal((await next.acquire({ node: 'n1', takeStale: false }, never)).kind, 'held')
})
