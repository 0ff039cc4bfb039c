import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Node } from '../../../src/ground/model/node.ts'
import { leftRun } from '../../../src/roll/decide/resume/left-run.ts'
import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'
import { restoringRun } from '../../../src/roll/run/restoring-run.ts'
import { RollEngine } from '../../../src/roll/run/roll-engine.ts'
import {
  formatRecord,
  INTENT_ANNOTATION,
  type NodeRecord,
  RECORD_ANNOTATION,
} from '../../../src/service/model/node-record.ts'
import { MemoryBalancer } from '../../support/memory-balancer.ts'
import { MemoryCluster } from '../../support/memory-cluster.ts'
import { aNode, aRecord, aServer, aSpec, drained, NEW_BOOT } from '../../support/roll-world.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const SLOT = { namespace: 'evenkeel', name: 'evenkeel-slot-0' }
const ABORTED = { kind: 'aborted', keepOut: false, reasons: [{ code: 'Aborted', text: 'aborted' }] } as const

interface Left {
  readonly record?: Partial<NodeRecord>
  readonly node?: Partial<Node>
  readonly intent?: boolean
  /** What becomes of a machine that is told to reboot. */
  readonly reboot?: (cluster: MemoryCluster, clock: VirtualClock) => void
}

/** What a process of run-1 left when it was killed with n1 out, and a process without its journal that puts n1 back. */
function left({ record = {}, node = {}, intent = false, reboot = () => undefined }: Left = {}) {
  const clock = new VirtualClock()
  const written = aRecord(record)
  const announced = { version: 1, run: 'run-1', bootId: written.bootId, at: written.at } as const
  const annotations = {
    [RECORD_ANNOTATION]: formatRecord(written),
    ...(intent ? { [INTENT_ANNOTATION]: formatRecord(announced) } : {}),
  }
  const n1 = aNode('n1', { unschedulable: true, annotations, ...node })
  const cluster = new MemoryCluster(clock, [n1, aNode('n2'), aNode('n3')])
  const lease = { ...SLOT, resourceVersion: '', holder: 'run-1/dead', durationSeconds: 120, renewTime: 'once' }
  cluster.leases.put({ ...lease, transitions: 0, annotations: {} })
  const balancer = new MemoryBalancer(clock, drained())
  const reboots: string[] = []
  const restore = async () => {
    const run = restoringRun(leftRun(await cluster.list('nodes'), { file: 'roll.yaml' }), {
      spec: aSpec(),
      verdict: ABORTED,
      nonce: 'ab12',
    })
    const events: StampedEvent[] = []
    const interrupt = new AbortController()
    const engine = new RollEngine({
      run,
      clusterName: 'test',
      cluster,
      balancers: [balancer],
      host: {
        check: () => Promise.reject(new Error('nobody plans here')),
        reboot: async (_target, bootId) => {
          reboots.push(bootId)
          reboot(cluster, clock)
          return { kind: 'sent' } as const
        },
        ownBootId: async () => undefined,
        close: async () => undefined,
      },
      dataPort: { answers: async () => true },
      journal: { run: run.id, append: async () => undefined },
      firstSeq: 0,
      sink: (event) => events.push(event),
      clock,
      random: new SeededRandom(1),
    })
    return { ended: engine.run(interrupt.signal), events, interrupt }
  }
  return { clock, cluster, balancer, reboots, restore }
}

type World = ReturnType<typeof left>

const stateOf = ({ cluster, balancer }: World) => ({
  cordoned: cluster.node('n1').unschedulable,
  server: balancer.state('n1'),
  annotations: Object.keys(cluster.node('n1').annotations),
  holder: cluster.leases.get(SLOT)?.holder,
})

const BACK = { cordoned: false, server: 'ready', annotations: [], holder: '' }
const OUT = { cordoned: true, server: 'drain', annotations: [RECORD_ANNOTATION], holder: 'run-1/dead' }

async function during(context: TestContext, world: World) {
  const restoring = await world.restore()
  context.after(async () => {
    restoring.interrupt.abort()
    await world.clock.advance(60_000)
    await restoring.ended.catch(() => undefined)
  })
  return restoring
}

test('a node whose run has lost its journal is put back by what it bears, once the run’s slot is stale', async (context) => {
  const world = left()
  const { ended } = await during(context, world)
  await world.clock.advance(115_000)
  assert.deepEqual(stateOf(world), OUT)
  await world.clock.advance(30_000)
  assert.deepEqual(stateOf(world), BACK)
  const end = await ended
  assert.deepEqual([end.outcome, end.exitCode, end.next], ['aborted', 0, []])
  assert.deepEqual(
    end.standings.map(({ node, state }) => [node, state]),
    [['n1', 'restored']],
  )
})

for (const holder of ['run-1/alive', 'run-1+cd34/alive']) {
  test(`while ${holder} renews the slot, another process touches nothing and says why`, async (context) => {
    const world = left()
    const { events } = await during(context, world)
    for (let minute = 0; minute < 10; minute += 1) {
      const lease = world.cluster.leases.get(SLOT)
      assert.ok(lease)
      world.cluster.leases.put({ ...lease, holder, renewTime: `minute ${minute}` })
      await world.clock.advance(60_000)
    }
    assert.deepEqual(stateOf(world), { ...OUT, holder })
    const reasons = events.flatMap((event) => ('reasons' in event ? event.reasons : []))
    const taken = reasons.find(({ code }) => code === 'SlotTaken')
    assert.match(taken?.text ?? '', /^another process holds the slot of run run-1/)
  })
}

test('what was cordoned before, and in maint, is so after', async (context) => {
  const servers = aRecord().servers.map((server) => ({ ...server, state: 'maint' as const }))
  const world = left({ record: { unschedulable: true, servers } })
  await during(context, world)
  await world.clock.advance(150_000)
  assert.deepEqual(stateOf(world), { ...BACK, cordoned: true, server: 'maint' })
})

test('a node whose reboot was announced is proven before any process puts it back', async (context) => {
  const world = left({
    intent: true,
    reboot: (cluster, clock) => {
      cluster.change('n1', { ready: 'Unknown' })
      void clock
        .sleep(40_000, context.signal)
        .then(() => cluster.change('n1', { ready: 'True', bootId: NEW_BOOT, heartbeat: 'at boot' }))
        .then(() => clock.sleep(10_000, context.signal))
        .then(() => cluster.change('n1', { heartbeat: 'after boot' }))
    },
  })
  const put: string[] = []
  world.balancer.onState = (server, state) => {
    put.push(`${server} ${state} ${world.cluster.node('n1').heartbeat}`)
  }
  const { ended } = await during(context, world)
  await world.clock.advance(170_000)
  assert.deepEqual(world.reboots, [])
  await world.clock.advance(50_000)
  assert.deepEqual(world.reboots, [aRecord().bootId])
  assert.equal(world.balancer.state('n1'), 'drain')
  await world.clock.advance(90_000)
  assert.deepEqual(put, ['n1 ready after boot'])
  assert.deepEqual(stateOf(world), BACK)
  assert.equal((await ended).outcome, 'aborted')
})

test('a node that had rebooted when its run was lost is proven and put back without another reboot', async (context) => {
  const world = left({ intent: true, node: { bootId: NEW_BOOT, heartbeat: 'at boot' } })
  await during(context, world)
  await world.clock.advance(140_000)
  assert.equal(world.balancer.state('n1'), 'drain')
  world.cluster.change('n1', { heartbeat: 'after boot' })
  await world.clock.advance(30_000)
  assert.deepEqual([stateOf(world), world.reboots], [BACK, []])
})

test('servers elsewhere that a record names are left alone', async (context) => {
  const [own] = aRecord().servers
  assert.ok(own)
  const world = left({ record: { servers: [own, { ...own, server: 'n2', address: '10.0.0.2', state: 'maint' }] } })
  await during(context, world)
  await world.clock.advance(150_000)
  assert.deepEqual([stateOf(world), world.balancer.state('n2')], [BACK, aServer('n2').adminState])
})
