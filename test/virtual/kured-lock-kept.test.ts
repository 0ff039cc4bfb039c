import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type KuredDaemonSet, lockHoldings } from '../../src/ground/model/kured-lock.ts'
import type { Node } from '../../src/ground/model/node.ts'
import type { ObjectRef } from '../../src/ground/model/object-ref.ts'
import { wallMs } from '../../src/ground/model/time.ts'
import { WorldError } from '../../src/ground/model/world-error.ts'
import type { RollSpec } from '../../src/roll/model/roll-spec.ts'
import type { KuredLocks } from '../../src/roll/ports/kured-locks.ts'
import { fixedWindows } from '../support/fixed-windows.ts'
import { aGate, MemoryGates } from '../support/gate-and-hook-world.ts'
import type { MemoryCluster } from '../support/memory-cluster.ts'
import { MemoryPair, twoHosts } from '../support/memory-pair.ts'
import { leave, memoryRoll } from '../support/memory-roll.ts'
import { aNode, aSpec, aWorkload } from '../support/roll-world.ts'
import { hostsSpec, RUN_HOSTS } from '../support/two-hosts-run.ts'
import { VirtualClock } from '../support/virtual-clock.ts'

const KURED: ObjectRef = { namespace: 'kube-system', name: 'kured' }

/** kured's DaemonSet with its lock; watches show each change at once. */
class MemoryKured implements KuredLocks {
  readonly #cluster: MemoryCluster
  /** The owners of the lock, one after the other; empty where it was free. */
  readonly owners: string[] = []
  #version = 1
  #lock: string | undefined

  constructor(cluster: MemoryCluster) {
    this.#cluster = cluster
    this.put(null)
  }

  /** As kured or a person writes it; null: it is removed. */
  put(lock: string | null): void {
    this.#version += 1
    this.#lock = lock ?? undefined
    const owner = this.owner
    if (this.owners.at(-1) !== owner) this.owners.push(owner)
    const held = this.#lock === undefined ? {} : { rebootLock: this.#lock }
    this.#cluster.changeDaemonSet(aWorkload({ ...KURED, kind: 'DaemonSet', uid: 'uid-kured', ...held }))
  }

  /** A node that kured drains and reboots. */
  takeFor(node: string): void {
    this.put(JSON.stringify({ nodeID: node, metadata: {}, created: '2026-01-01T00:00:00Z', TTL: 0 }))
  }

  get owner(): string {
    return [...new Set((lockHoldings(this.#lock ?? '{"locks":[]}') ?? []).map(({ owner }) => owner))].join(' ')
  }

  read(): Promise<KuredDaemonSet> {
    const lock = this.#lock === undefined ? {} : { lock: this.#lock }
    const lockKey = 'weave.works/kured-node-lock'
    return Promise.resolve({ ...KURED, resourceVersion: String(this.#version), lockKey, concurrency: 1, ...lock })
  }

  write(seen: KuredDaemonSet, lock: string | null): Promise<void> {
    if (seen.resourceVersion !== String(this.#version))
      return Promise.reject(new WorldError('the object has been modified', { code: 'KUBE_CONFLICT', retry: 'now' }))
    this.put(lock)
    return Promise.resolve()
  }
}

const OURS = 'evenkeel/run-1'
const DAY_MS = 86_400_000
/** The time window in which a roll begins: its first node is begun in it, and finished after it. */
const CLOSES_MS = 15_000
const OPENS_MS = 300_000
const BUDGET = { namespace: 'evenkeel', name: 'evenkeel-budget', resourceVersion: '1', annotations: {} }
const reboot = { ...aSpec().reboot, kuredLock: KURED }
const fails = { kind: 'fails', text: 'the value is 1, not == 0' } as const
const passes = { kind: 'passes', text: 'healthy' } as const

interface Begun {
  readonly spec: RollSpec
  readonly order: readonly string[]
  readonly maxOut?: string
  readonly nodes?: readonly Node[]
  /** kured has this node drained or down when the roll begins. */
  readonly inWorkOfKured?: string
}

function begun(t: TestContext, { spec, order, maxOut = '1', nodes, inWorkOfKured }: Begun) {
  let pair: MemoryPair | undefined
  let kured: MemoryKured | undefined
  const gates = new MemoryGates()
  const start = new VirtualClock().wallMs()
  const spans = [
    { from: start, to: wallMs(start + CLOSES_MS) },
    { from: wallMs(start + OPENS_MS), to: wallMs(start + DAY_MS) },
  ]
  const roll = memoryRoll({
    run: { spec, order, ...(spec.hosts && { hosts: RUN_HOSTS }) },
    ...(nodes && { nodes }),
    ...(spec.hosts && {
      pair: (clock) => {
        pair = new MemoryPair(clock)
        return pair
      },
    }),
    kuredLocks: ({ cluster }) => {
      kured = new MemoryKured(cluster)
      if (inWorkOfKured !== undefined) kured.takeFor(inWorkOfKured)
      return kured
    },
    configMaps: { read: async ({ name }) => (name === BUDGET.name ? { ...BUDGET, data: { maxOut } } : undefined) },
    gates,
    timeWindows: fixedWindows(spans),
  })
  assert.ok(kured !== undefined)
  const running = roll.begin()
  t.after(() => leave(roll, running))
  const holds = (): readonly string[] =>
    roll.events.flatMap((event) =>
      event.type === 'hold.started' || event.type === 'hold.changed'
        ? [`${event.node} ${event.step} ${event.reasons.map(({ code }) => code)}`]
        : [],
    )
  return { ...roll, kured, pair, gates, holds }
}

test('a lane that is through needs the lock no more: it is given back while the last node waits for its gate', async (t) => {
  const gate = aGate({ limitMs: DAY_MS })
  const spec = aSpec({ reboot, parallel: { nodes: 2, oneZone: false }, gates: [gate] })
  const roll = begun(t, { spec, order: ['n1', 'n2', 'n3'], maxOut: '2' })
  roll.gates.answer = (_nth, { node }) => (node === 'n3' ? fails : passes)
  await roll.clock.advance(300_000)
  assert.deepEqual([[...roll.reboots].sort(), roll.holds().at(-1)], [['n1', 'n2'], 'n3 slot GateFails'])
  assert.deepEqual(roll.kured.owners, ['', OURS, ''])
  roll.gates.answer = () => passes
  await roll.clock.advance(300_000)
  assert.equal(roll.ended()?.outcome, 'completed')
  assert.deepEqual(roll.kured.owners, ['', OURS, '', OURS, ''])
})

test('a lane that waits for the node of another lane needs no lock: it is given back while that node waits for its gate', async (t) => {
  const gate = aGate({ limitMs: DAY_MS })
  const spec = aSpec({ reboot, parallel: { nodes: 2, oneZone: true }, gates: [gate] })
  const nodes = ['n1', 'n2', 'n3'].map((name) =>
    aNode(name, { labels: { 'topology.kubernetes.io/zone': name === 'n3' ? 'b' : 'a' } }),
  )
  const roll = begun(t, { spec, order: ['n1', 'n2', 'n3'], maxOut: '2', nodes })
  roll.gates.answer = (_nth, { node }) => (node === 'n2' ? fails : passes)
  await roll.clock.advance(300_000)
  assert.deepEqual([roll.reboots, roll.kured.owners], [['n1'], ['', OURS, '']])
  roll.gates.answer = () => passes
  await roll.clock.advance(300_000)
  assert.deepEqual([roll.ended()?.outcome, roll.kured.owners], ['completed', ['', OURS, '', OURS, '']])
})

const WAITS = ['window', 'gate'] as const

for (const wait of WAITS)
  test(`while a machine waits for a ${wait}, and nothing is out, the lock is given back; it is held from before the machine leaves until it is whole`, async (t) => {
    const own =
      wait === 'gate'
        ? { gates: [aGate({ appliesTo: ['hosts'], limitMs: DAY_MS })] }
        : { window: { zone: 'UTC', open: [], not: [], onClose: 'finish' } as const }
    const roll = begun(t, { spec: hostsSpec({ reboot, ...own }), order: ['n1'] })
    const { pair, kured, clock } = roll
    assert.ok(pair !== undefined)
    const heldBy: string[] = []
    pair.onReboot = () => void heldBy.push(kured.owner)
    roll.gates.answer = () => fails
    await clock.advance(200_000)
    assert.deepEqual([roll.reboots, pair.boots(), kured.owners], [['n1'], [0, 0], ['', OURS, '']])
    roll.gates.answer = () => passes
    await clock.advance(300_000)
    assert.deepEqual([roll.ended()?.outcome, pair.boots(), pair.wrongs], ['completed', [1, 1], []])
    assert.deepEqual(
      [heldBy, kured.owners],
      [
        [OURS, OURS],
        ['', OURS, '', OURS, ''],
      ],
    )
  })

test('from the last node to the first machine, and from one machine to the next, the lock is held without a break', async (t) => {
  for (const order of ['first', 'last'] as const) {
    const spec = hostsSpec({ reboot, hosts: { ...twoHosts(), order } })
    const roll = begun(t, { spec, order: ['n1', 'n2'] })
    await roll.clock.advance(900_000)
    assert.equal(roll.ended()?.outcome, 'completed')
    assert.deepEqual(roll.kured.owners, ['', OURS, ''])
  }
})

test('no machine leaves while kured reboots a node, whether or not the file asks for the lock', async (t) => {
  for (const own of [{ reboot }, {}]) {
    const spec = hostsSpec({ ...own, hosts: { ...twoHosts(), order: 'first' } })
    const roll = begun(t, { spec, order: ['n1'], inWorkOfKured: 'n3' })
    const { pair, kured, clock } = roll
    assert.ok(pair !== undefined)
    await clock.advance(120_000)
    assert.deepEqual([pair.said, roll.holds().at(-1)], [[], 'lb-1 slot KuredLockHeld'])
    kured.put(null)
    await clock.advance(900_000)
    assert.deepEqual([roll.ended()?.outcome, pair.boots(), roll.reboots], ['completed', [1, 1], ['n1']])
    assert.deepEqual(kured.owners, 'reboot' in own ? ['', 'n3', '', OURS, ''] : ['', 'n3', ''])
  }
})

test('a machine that has given its addresses away is not rebooted while kured has the lock, and takes them back in the end', async (t) => {
  const roll = begun(t, { spec: hostsSpec({ hosts: { ...twoHosts(), order: 'first' } }), order: [] })
  const { pair, kured, clock } = roll
  assert.ok(pair !== undefined)
  pair.machine('lb-1').connections = 1
  for (let second = 0; second < 60 && pair.said.length === 0; second += 1) await clock.advance(1_000)
  kured.takeFor('n3')
  await clock.advance(60_000)
  assert.deepEqual([pair.boots(), roll.holds().at(-1)], [[0, 0], 'lb-1 detach KuredLockHeld'])
  await clock.advance(900_000)
  assert.deepEqual([roll.ended()?.outcome, pair.boots(), pair.said], ['held', [0, 0], ['lb-1 away', 'lb-1 back']])
  assert.deepEqual(
    roll.ended()?.reasons.map(({ code }) => code),
    ['KuredLockHeld'],
  )
})

test('a machine that does not come back keeps the lock at the end of the roll, as a node does', async (t) => {
  const roll = begun(t, { spec: hostsSpec({ reboot }), order: [] })
  assert.ok(roll.pair !== undefined)
  roll.pair.bootsAgain = false
  await roll.clock.advance(2_000_000)
  assert.equal(roll.ended()?.outcome, 'stopped')
  assert.deepEqual(roll.kured.owners, ['', OURS])
  const warnings = roll.events.flatMap((event) => (event.type === 'warning' ? [event.text] : []))
  assert.match(warnings.join(), /^the lock of kured \(DaemonSet kube-system\/kured\) is kept while lb-1 is out/)
})
