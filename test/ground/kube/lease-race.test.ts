import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kubeLeaderLease } from '../../../src/ground/kube/kube-leader-lease.ts'
import { Leader } from '../../../src/ground/loop/leader.ts'
import type { Lease } from '../../../src/ground/model/lease.ts'
import { LeaseKeeper } from '../../../src/service/run/lease-keeper.ts'
import { EmbeddedApi } from '../../support/embedded-api.ts'
import { SeededRandom } from '../../support/seeded-random.ts'

const SLOT = { namespace: 'evenkeel', name: 'slot' }
const DURATION_MS = 30_000
const never = new AbortController().signal

/** Processes that reach one API server, which compares versions. */
class Ground extends EmbeddedApi {
  constructor() {
    super(SLOT.namespace)
  }

  keeper(run: string): LeaseKeeper {
    return new LeaseKeeper({
      cluster: this.cluster(),
      clock: this.time,
      random: new SeededRandom(2),
      slot: SLOT,
      run,
      nonce: 'p1',
      durationMs: DURATION_MS,
      onChange: () => undefined,
    })
  }

  async stored(): Promise<Lease> {
    const lease = await this.done(this.cluster().readLease(SLOT, never))
    return lease ?? assert.fail('there is no Lease')
  }
}

/** Both begin in the same moment, so that both have read the Lease before either writes it. */
async function raced(ground: Ground, keepers: readonly [LeaseKeeper, LeaseKeeper], takeStale = false) {
  ground.methods.length = 0
  const answers = await ground.done(
    Promise.all(keepers.map((keeper, at) => keeper.acquire({ node: `n${at + 1}`, takeStale }, never))),
  )
  assert.deepEqual(ground.methods.slice(0, 2), ['GET', 'GET'])
  return { kinds: answers.map(({ kind }) => kind), mayAct: keepers.map((keeper) => keeper.mayAct()) }
}

const ONE_ALONE = { kinds: ['held', 'taken'], mayAct: [true, false] }

test('of two runs that find no Lease in the same moment one gets the slot', async () => {
  const ground = new Ground()
  assert.deepEqual(await raced(ground, [ground.keeper('run-a'), ground.keeper('run-b')]), ONE_ALONE)
  assert.equal((await ground.stored()).holder, 'run-a/p1')
})

test('of two runs that read a free slot in the same moment one gets it, and the other is told who', async () => {
  const ground = new Ground()
  const before = ground.keeper('run-0')
  await ground.done(before.acquire({ node: 'n0', takeStale: false }, never))
  await ground.done(before.release(never))
  assert.equal((await ground.stored()).holder, '')
  assert.deepEqual(await raced(ground, [ground.keeper('run-a'), ground.keeper('run-b')]), ONE_ALONE)
  const { holder, annotations } = await ground.stored()
  assert.deepEqual([holder, annotations['evenkeel.dev/node']], ['run-a/p1', 'n1'])
})

test('of two runs that find a slot stale in the same moment one takes it over', async () => {
  const ground = new Ground()
  await ground.done(ground.keeper('run-0').acquire({ node: 'n0', takeStale: false }, never))
  const keepers = [ground.keeper('run-a'), ground.keeper('run-b')] as const
  await raced(ground, keepers, true)
  await ground.time.advance(DURATION_MS)
  assert.deepEqual(await raced(ground, keepers, true), ONE_ALONE)
  assert.equal((await ground.stored()).holder, 'run-a/p1')
})

test('a process that was stopped for longer than its slot lasts does not write over the run that has it now', async () => {
  const ground = new Ground()
  const [stopped, next] = [ground.keeper('run-a'), ground.keeper('run-b')]
  await ground.done(stopped.acquire({ node: 'n1', takeStale: false }, never))
  await ground.done(next.acquire({ node: 'n2', takeStale: true }, never))
  await ground.time.advance(DURATION_MS)
  await ground.done(next.acquire({ node: 'n2', takeStale: true }, never))
  assert.equal(next.mayAct(), true)
  assert.deepEqual(await ground.done(stopped.renewNow(never)), { kind: 'lost' })
  assert.equal(stopped.mayAct(), false)
  assert.equal((await ground.stored()).holder, 'run-b/p1')
})

test('a release that comes late does not free the slot of the run that has it now', async () => {
  const ground = new Ground()
  const [late, next] = [ground.keeper('run-a'), ground.keeper('run-b')]
  await ground.done(late.acquire({ node: 'n1', takeStale: false }, never))
  await ground.done(next.acquire({ node: 'n2', takeStale: true }, never))
  await ground.time.advance(DURATION_MS)
  await ground.done(next.acquire({ node: 'n2', takeStale: true }, never))
  await ground.done(late.release(never))
  assert.equal((await ground.stored()).holder, 'run-b/p1')
})

test('of two controllers that find a free Lease in the same moment one leads', async () => {
  const ground = new Ground()
  const stop = new AbortController()
  const lease = { ...SLOT, resourceVersion: '', holder: '', durationSeconds: 1, renewTime: '', transitions: 3 }
  await ground.done(kubeLeaderLease(ground.client()).writeLease({ ...lease, annotations: {} }, never))
  const leaders = ['a', 'b'].map(
    (identity) =>
      new Leader({
        cluster: kubeLeaderLease(ground.client()),
        clock: ground.time,
        random: new SeededRandom(3),
        lease: SLOT,
        identity,
        durationMs: 15_000,
        onChange: () => undefined,
      }),
  )
  const over = new Error('the test is over')
  const running = leaders.map((leader) => assert.rejects(leader.run(stop.signal), over))
  await ground.time.advance(2 * EmbeddedApi.LATENCY_MS)
  assert.deepEqual(
    leaders.map((leader) => leader.isLeading()),
    [true, false],
  )
  assert.equal((await ground.stored()).holder, 'a')
  stop.abort(over)
  await Promise.all(running)
})
