import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiClient } from '../../../src/adapters/kube/api-client.ts'
import { ApiReach } from '../../../src/adapters/kube/api-reach.ts'
import type { Connection } from '../../../src/adapters/kube/connection.ts'
import { kubeCluster } from '../../../src/adapters/kube/kube-cluster.ts'
import { kubeLeaderLease } from '../../../src/adapters/kube/kube-leader-lease.ts'
import type { Lease } from '../../../src/model/lease.ts'
import { wallMs } from '../../../src/model/time.ts'
import type { Cluster } from '../../../src/ports/cluster.ts'
import { Leader } from '../../../src/runtime/leader.ts'
import { LeaseKeeper } from '../../../src/runtime/lease-keeper.ts'
import { VirtualTime } from '../../../src/sim/clocks/virtual-time.ts'
import { inProcessApi } from '../../../src/sim/doors/in-process-api.ts'
import { NAMESPACES } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { Store } from '../../../src/sim/world/store.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { turnsOfLoop } from '../../support/turns-of-loop.ts'

const SLOT = { namespace: 'evenkeel', name: 'slot' }
const DURATION_MS = 30_000
const LATENCY_MS = 3
const never = new AbortController().signal

type Leases = Pick<Cluster, 'readLease' | 'writeLease'>

/** An API server that compares versions, and processes that reach it through the adapter. Each call takes 3 ms. */
class Ground {
  readonly time = new VirtualTime({ startAt: wallMs(Date.UTC(2026, 0, 1)), turns: turnsOfLoop })
  /** The method of each request that was carried out, in order. */
  readonly requests: string[] = []
  readonly #world = { store: new Store(), clock: this.time, random: new SeededRandom(7) }

  constructor() {
    createObject(this.#world, { resource: NAMESPACES, body: { metadata: { name: SLOT.namespace } } })
  }

  client(): ApiClient {
    const exchange = inProcessApi({
      world: this.#world,
      timers: this.time,
      latencyMs: LATENCY_MS,
      around: ({ method }, answer) => {
        this.requests.push(method)
        return answer()
      },
    })
    const connection = { server: new URL('http://embedded') } as unknown as Connection
    const credentials = { current: async () => connection, accept: () => undefined, drop: () => undefined }
    return new ApiClient({ credentials, clock: this.time, userAgent: 'evenkeel/test', exchange })
  }

  leases(): Leases {
    const { time: clock } = this
    const log = { debug: () => undefined, warn: () => undefined }
    const parts = { client: this.client(), reach: new ApiReach(clock), clock, random: new SeededRandom(1), log }
    return kubeCluster(parts, { address: '192.0.2.1', port: 6443 })
  }

  keeper(run: string, cluster: Leases = this.leases()): LeaseKeeper {
    return new LeaseKeeper({
      cluster,
      clock: this.time,
      random: new SeededRandom(2),
      slot: SLOT,
      run,
      nonce: 'p1',
      durationMs: DURATION_MS,
      onChange: () => undefined,
    })
  }

  done<T>(work: Promise<T>): Promise<T> {
    return this.time.settle(work, 60_000)
  }

  async stored(): Promise<Lease> {
    const lease = await this.done(this.leases().readLease(SLOT, never))
    return lease ?? assert.fail('there is no Lease')
  }
}

/** Both begin in the same moment, so that both have read the Lease before either writes it. */
async function raced(ground: Ground, keepers: readonly [LeaseKeeper, LeaseKeeper], takeStale = false) {
  ground.requests.length = 0
  const answers = await ground.done(
    Promise.all(keepers.map((keeper, at) => keeper.acquire({ node: `n${at + 1}`, takeStale }, never))),
  )
  assert.deepEqual(ground.requests.slice(0, 2), ['GET', 'GET'])
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
  await ground.time.advance(2 * LATENCY_MS)
  assert.deepEqual(
    leaders.map((leader) => leader.isLeading()),
    [true, false],
  )
  assert.equal((await ground.stored()).holder, 'a')
  stop.abort(over)
  await Promise.all(running)
})
