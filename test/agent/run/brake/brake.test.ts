import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Brake } from '../../../../src/agent/run/brake/brake.ts'
import { MemoryConfigMap, MemoryFleet, MemoryNotices } from '../../../support/controller/memory-ports.ts'
import { SeededRandom } from '../../../support/seeded-random.ts'
import { VirtualClock } from '../../../support/virtual-clock.ts'

class Ground {
  readonly clock = new VirtualClock()
  readonly fleet = new MemoryFleet()
  readonly configMaps = new MemoryConfigMap()
  readonly notices = new MemoryNotices()
  readonly warnings: string[] = []
  readonly #stop = new AbortController()

  constructor(t: TestContext) {
    t.after(() => this.#stop.abort(new Error('the test is over')))
  }

  /** One process; `leads` says for how long it may act. */
  brake(identity: string, leads: { mayActForMs(): number } = { mayActForMs: () => 10_000 }): Brake {
    const { clock, fleet, configMaps, notices, warnings } = this
    const brake = new Brake({
      fleet,
      configMaps,
      notices,
      leader: leads,
      identity,
      namespace: 'evenkeel',
      limit: { kind: 'percent', percent: 50 },
      returnMs: 10_000,
      clock,
      random: new SeededRandom(1),
      log: { debug: () => undefined, warn: (text) => warnings.push(text) },
    })
    brake.run(this.#stop.signal).catch((error: unknown) => assert.equal(error, this.#stop.signal.reason))
    return brake
  }

  get granted(): readonly string[] | undefined {
    const text = this.configMaps.now?.data.grants
    return text === undefined ? undefined : (JSON.parse(text) as { granted: readonly string[] }).granted
  }
}

test('a burst of cordons is granted at once, and a node that waits is reported once, however long', async (t) => {
  const ground = new Ground(t)
  ground.brake('a')
  ground.fleet.set('n1 n2 n3 n4')
  await ground.clock.advance(10_000)
  ground.fleet.set('n1! n2! n3! n4!')
  await ground.clock.advance(100)
  assert.deepEqual(ground.granted, ['n1', 'n2'])
  assert.equal(ground.configMaps.now?.data.grants, '{"version":1,"granted":["n1","n2"],"max":2,"of":4}')
  await ground.clock.advance(600_000)
  assert.deepEqual(ground.notices.lines, ['n3 CordonNotGranted', 'n4 CordonNotGranted'])
  assert.ok(ground.configMaps.written.length <= 4, `${ground.configMaps.written.length} writes`)
})

test('a node that comes back keeps its slot for the return delay, then the next is granted', async (t) => {
  const ground = new Ground(t)
  ground.brake('a')
  ground.fleet.set('n1! n2! n3! n4')
  await ground.clock.advance(1_000)
  ground.fleet.set('n1 n2! n3! n4')
  await ground.clock.advance(9_000)
  assert.deepEqual(ground.granted, ['n2'])
  await ground.clock.advance(4_000)
  assert.deepEqual(ground.granted, ['n2', 'n3'])
})

test('while the nodes cannot be followed nothing is published, and all of it once they can', async (t) => {
  const ground = new Ground(t)
  const brake = ground.brake('a')
  ground.fleet.set('n1! n2 n3 n4')
  await ground.clock.advance(1_000)
  const before = ground.configMaps.now
  ground.fleet.break()
  ground.fleet.lags = true
  ground.fleet.set('n1 n2! n3! n4')
  await ground.clock.advance(600_000)
  assert.equal(ground.configMaps.now, before)
  assert.deepEqual(
    brake.status().reasons.map(({ code }) => code),
    ['NodesUnknown'],
  )
  ground.fleet.lags = false
  ground.fleet.tell()
  await ground.clock.advance(15_000)
  assert.deepEqual(ground.granted, ['n2', 'n3'])
})

test('a grant is not taken back by a watch that is behind', async (t) => {
  const ground = new Ground(t)
  const first = ground.brake('a')
  ground.fleet.set('n1! n2! n3 n4')
  await ground.clock.advance(1_000)
  await first.stop()
  ground.fleet.set('n1 n2! n3 n4')
  const heir = ground.brake('b')
  ground.fleet.lags = true
  ground.fleet.set('n1! n2! n3 n4')
  await ground.clock.advance(30_000)
  assert.deepEqual(ground.granted, ['n1', 'n2'])
  assert.match(heir.status().loop.trouble ?? '', /n1 is cordoned, and the watch has not shown it yet/)
  ground.fleet.tell()
  await ground.clock.advance(30_000)
  assert.equal(heir.status().loop.trouble, undefined)
  assert.deepEqual(ground.granted, ['n1', 'n2'])
})

test('what a deposed leader still sends is refused, once another has written', async (t) => {
  const ground = new Ground(t)
  let leads = 10_000
  ground.fleet.set('n1 n2 n3 n4')
  ground.brake('a', { mayActForMs: () => leads })
  await ground.clock.advance(1_000)
  // It is about to write, when it is frozen, and another takes over.
  ground.configMaps.before = () => {
    leads = 0
    const { now } = ground.configMaps
    assert.ok(now)
    ground.configMaps.now = { ...now, resourceVersion: 'of b', annotations: { 'evenkeel.dev/leader': 'b' } }
  }
  ground.fleet.set('n1! n2 n3 n4')
  await ground.clock.advance(60_000)
  assert.equal(ground.configMaps.now?.resourceVersion, 'of b')
  assert.deepEqual(ground.granted, [])
})

test('a leader that takes over writes the grants once, under its own name, though nothing changes', async (t) => {
  const ground = new Ground(t)
  ground.fleet.set('n1! n2 n3 n4')
  const first = ground.brake('a')
  await ground.clock.advance(1_000)
  await first.stop()
  ground.brake('b')
  await ground.clock.advance(60_000)
  assert.deepEqual(
    ground.configMaps.written.map(({ annotations }) => annotations['evenkeel.dev/leader']),
    ['a', 'b'],
  )
  assert.deepEqual(ground.granted, ['n1'])
})

test('a controller that does not lead writes nothing and asks nothing, and knows the order in which nodes were cordoned once it leads', async (t) => {
  const ground = new Ground(t)
  let leads = 0
  const brake = ground.brake('a', { mayActForMs: () => leads })
  ground.fleet.set('n1 n2 n3! n4')
  await ground.clock.advance(1_000)
  ground.fleet.set('n1! n2 n3! n4')
  await ground.clock.advance(1_000)
  ground.fleet.set('n1! n2! n3! n4')
  await ground.clock.advance(60_000)
  assert.equal(ground.configMaps.now, undefined)
  assert.equal(brake.status().decision, 'standby')
  leads = 10_000
  brake.wake()
  await ground.clock.advance(100)
  assert.deepEqual(ground.granted, ['n1', 'n3'])
})

test('a right to write events that is missing keeps no grant back, and is reported', async (t) => {
  const ground = new Ground(t)
  ground.notices.forbidden = true
  const brake = ground.brake('a')
  ground.fleet.set('n1! n2! n3! n4')
  await ground.clock.advance(1_000)
  ground.fleet.set('n1! n2! n3! n4!')
  await ground.clock.advance(60_000)
  assert.deepEqual(ground.granted, ['n1', 'n2'])
  assert.match(brake.status().loop.trouble ?? '', /events is forbidden/)
  ground.notices.forbidden = false
  await ground.clock.advance(30_000)
  assert.deepEqual(ground.notices.lines, ['n3 CordonNotGranted', 'n4 CordonNotGranted'])
})

test('what else stands in the object stays', async (t) => {
  const ground = new Ground(t)
  const data = { grants: 'nonsense', note: 'of somebody' }
  await ground.configMaps.write({
    namespace: 'evenkeel',
    name: 'evenkeel-cordon-grants',
    resourceVersion: '',
    annotations: { 'meta.helm.sh/release-name': 'edge' },
    data,
  })
  ground.fleet.set('n1! n2')
  ground.brake('a')
  await ground.clock.advance(1_000)
  assert.deepEqual(ground.granted, ['n1'])
  assert.equal(ground.configMaps.now?.data.note, 'of somebody')
  assert.equal(ground.configMaps.now?.annotations['meta.helm.sh/release-name'], 'edge')
})

test('an API server that is away costs passes, with pauses between them, and no grant', async (t) => {
  const ground = new Ground(t)
  const brake = ground.brake('a')
  ground.fleet.set('n1! n2 n3 n4')
  await ground.clock.advance(1_000)
  ground.configMaps.away = true
  ground.fleet.set('n1! n2! n3 n4')
  await ground.clock.advance(600_000)
  const { failures, passes } = brake.status().loop
  assert.ok(failures > 50 && failures < 200, `${failures} failed of ${passes}`)
  ground.configMaps.away = false
  await ground.clock.advance(15_000)
  assert.deepEqual(ground.granted, ['n1', 'n2'])
})

test('a grant of a node that cannot be read any more is not taken back either', async (t) => {
  const ground = new Ground(t)
  const first = ground.brake('a')
  ground.fleet.set('n1! n2! n3 n4')
  await ground.clock.advance(1_000)
  await first.stop()
  ground.fleet.set('n1 n2! n3 n4')
  ground.brake('b')
  ground.fleet.lags = true
  ground.fleet.set('n1? n2! n3 n4')
  await ground.clock.advance(30_000)
  assert.deepEqual(ground.granted, ['n1', 'n2'])
})

test('grants that a person deleted are published again within ten seconds', async (t) => {
  const ground = new Ground(t)
  ground.brake('a')
  ground.fleet.set('n1! n2 n3 n4')
  await ground.clock.advance(10_000)
  ground.configMaps.now = undefined
  await ground.clock.advance(10_000)
  assert.deepEqual(ground.granted, ['n1'])
})

test('nothing is published before the nodes are listed, and that is said once', async (t) => {
  const ground = new Ground(t)
  const brake = ground.brake('a')
  brake.wake()
  await ground.clock.advance(60_000)
  assert.deepEqual([ground.configMaps.written, ground.warnings.length], [[], 1])
  ground.fleet.set('n1! n2 n3 n4')
  await ground.clock.advance(10_000)
  assert.deepEqual(ground.granted, ['n1'])
})

for (const now of ['n3>', 'n3x', 'n3?', 'n3-', 'n3!']) {
  test(`a node that comes to be ${now} is looked at at once, and not with the next sweep`, async (t) => {
    const ground = new Ground(t)
    const brake = ground.brake('a')
    ground.fleet.set('n1 n2 n3 n4')
    await ground.clock.advance(1_000)
    const { passes } = brake.status().loop
    ground.fleet.change(now)
    await ground.clock.advance(10)
    assert.ok(brake.status().loop.passes > passes)
  })
}

test('a leader that has not heard of the nodes yet takes no grant back, and keeps their order once it has', async (t) => {
  const ground = new Ground(t)
  const first = ground.brake('a')
  ground.fleet.set('n2! n3! n1 n4')
  await ground.clock.advance(1_000)
  ground.fleet.set('n1! n2! n3! n4')
  await ground.clock.advance(1_000)
  await first.stop()
  ground.fleet.set('')
  const heir = ground.brake('b')
  heir.wake()
  await ground.clock.advance(60_000)
  assert.deepEqual(ground.granted, ['n2', 'n3'])
  ground.fleet.set('n1! n2! n3! n4')
  await ground.clock.advance(60_000)
  assert.deepEqual(ground.granted, ['n2', 'n3'])
})

test('grants whose writer another program takes away with each write are published again later each time', async (t) => {
  const ground = new Ground(t)
  const { configMaps } = ground
  const write = configMaps.write.bind(configMaps)
  configMaps.write = async (configMap) => {
    const written = await write(configMap)
    configMaps.now = { ...written, annotations: {} }
    return written
  }
  ground.brake('a')
  ground.fleet.set('n1! n2! n3! n4')
  await ground.clock.advance(60_000)
  const before = [configMaps.written.length, ground.notices.lines.length] as const
  await ground.clock.advance(60_000)
  const [writes, notices] = [configMaps.written.length - before[0], ground.notices.lines.length - before[1]]
  assert.ok(writes <= 12 && notices <= 12, `${writes} writes and ${notices} events in a later minute`)
  assert.deepEqual(ground.granted, ['n1', 'n2'])
})
