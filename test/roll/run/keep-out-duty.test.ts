import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { JournalEntry } from '../../../src/roll/ports/journal.ts'
import { Effects } from '../../../src/roll/run/effects.ts'
import { EventLog } from '../../../src/roll/run/event-log.ts'
import { KeepOutDuty } from '../../../src/roll/run/keep-out-duty.ts'
import { NodeOverlay } from '../../../src/roll/run/node-overlay.ts'
import { Performer } from '../../../src/roll/run/perform.ts'
import type { Action } from '../../../src/service/model/action.ts'
import { formatRecord, RECORD_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { LeaseKeeper } from '../../../src/service/run/lease-keeper.ts'
import { MemoryCluster } from '../../support/memory-cluster.ts'
import { leave, type MemoryRoll, memoryRoll } from '../../support/memory-roll.ts'
import { aNode, aRecord, aServer, NEW_BOOT } from '../../support/roll-world.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const N1 = { instance: 'lb-1', backend: 'web', server: 'n1' }
const FULL = new WorldError('no space left on device', { code: 'JOURNAL_WRITE', retry: 'backoff' })
const REFUSED = new WorldError('the socket is closed', { code: 'BALANCER_SILENT', retry: 'backoff' })

/** What becomes of entries from some moment on. */
interface Disk {
  append: (entry: JournalEntry) => Promise<void>
}

function begun(t: TestContext, asked: Parameters<typeof memoryRoll>[0] = {}) {
  const entries: JournalEntry[] = []
  const disk: Disk = { append: async () => undefined }
  const append = async (entry: JournalEntry): Promise<void> => {
    await disk.append(entry)
    entries.push(entry)
  }
  const roll = memoryRoll({ ...asked, append })
  const running = roll.begin()
  t.after(() => {
    disk.append = async () => undefined
    return leave(roll, running)
  })
  return { ...roll, entries, disk }
}

/** A roll whose first node does not come back from its reboot. */
async function away(t: TestContext) {
  const roll = begun(t)
  roll.machine.rebooted = (node) => roll.cluster.change(node, { ready: 'Unknown' })
  await roll.clock.advance(10_000)
  assert.deepEqual([roll.reboots, roll.balancer.state('n1')], [['n1'], 'drain'])
  return roll
}

/** n1 bears a record, was rebooted by others, and is in service; this process has never seen it out. */
const rebootedByOthers = (t: TestContext) => {
  const annotations = { [RECORD_ANNOTATION]: formatRecord(aRecord()) }
  const n1 = aNode('n1', { unschedulable: true, annotations, bootId: NEW_BOOT, ready: 'Unknown' })
  return begun(t, { run: { resumed: true }, nodes: [n1, aNode('n2'), aNode('n3')] })
}

const meant = (entries: readonly JournalEntry[], kind: string): number =>
  entries.filter(({ type, actions }) => type === 'meant' && (actions as readonly Action[]).some((a) => a.kind === kind))
    .length

const writes = ({ events }: Pick<MemoryRoll, 'events'>): readonly string[] =>
  events.flatMap((event) => (event.type === 'write' && event.action === 'setServer' ? [event.text] : []))

test('law: what keeps a node out is said in one way, in a pass and between two; it is in the journal and among the writes', async (t) => {
  const { clock, balancer, entries, ...roll } = await away(t)
  assert.deepEqual([meant(entries, 'setServer'), writes(roll).length], [1, 1])
  await balancer.setState(N1, 'ready')
  await clock.advance(1_000)
  assert.deepEqual([balancer.state('n1'), meant(entries, 'setServer'), writes(roll).length], ['drain', 2, 2])
})

for (const how of ['is full', 'hangs'] as const) {
  test(`law: a node that is out is said to be out within a second of a reload, whatever the disk does; it ${how}`, async (t) => {
    const { clock, balancer, disk } = await away(t)
    const late = (): Promise<void> => clock.sleep(30_000, new AbortController().signal)
    disk.append = () => (how === 'is full' ? Promise.reject(FULL) : late())
    await clock.advance(1_000)
    await balancer.setState(N1, 'ready')
    await clock.advance(1_000)
    assert.equal(balancer.state('n1'), 'drain')
  })
}

test('law: a server that its run never had out is taken out once the journal has it on disk; others had rebooted its machine', async (t) => {
  const { clock, balancer, disk, entries } = rebootedByOthers(t)
  disk.append = (entry) => (entry.type === 'meant' ? Promise.reject(FULL) : Promise.resolve())
  await clock.advance(20_000)
  assert.deepEqual([balancer.state('n1'), meant(entries, 'setServer')], ['ready', 0])
  disk.append = async () => undefined
  await clock.advance(2_000)
  assert.deepEqual([balancer.state('n1'), meant(entries, 'setServer')], ['drain', 1])
})

test('a server that people take out while the disk is slow is not told once more', async (t) => {
  const { clock, balancer, disk } = rebootedByOthers(t)
  disk.append = async (entry) => {
    if (meant([entry], 'setServer') > 0) await balancer.setState(N1, 'maint')
  }
  await clock.advance(5_000)
  assert.equal(balancer.state('n1'), 'maint')
})

test('a word that a balancer refuses again and again is in the journal and told of once, and said five times a second', async (t) => {
  const { clock, balancer, entries, ...roll } = await away(t)
  await balancer.setState(N1, 'ready')
  let refusals = 0
  balancer.onState = () => {
    refusals += 1
    throw REFUSED
  }
  const before = entries.length
  await clock.advance(10_000)
  const reported = writes(roll).filter((text) => text.endsWith(REFUSED.message))
  assert.ok(refusals > 40, `${refusals} tries`)
  assert.ok(reported.length < 10, `told ${reported.length} times`)
  assert.ok(entries.length - before < 40, `${entries.length - before} entries`)
})

test('a node that a verdict takes out again had lost no state: no reload is reported', async (t) => {
  const roll = begun(t)
  const { clock, balancer, events } = roll
  const read = balancer.read.bind(balancer)
  balancer.read = async (instance) => {
    const reading = await read(instance)
    const ill = { operational: 'down', check: 'failing' } as const
    const isBack = roll.reboots.length > 0
    return { ...reading, servers: reading.servers.map((s) => (isBack && s.ref.server === 'n1' ? { ...s, ...ill } : s)) }
  }
  await clock.advance(1_000_000)
  const reasserted = events.filter(({ type }) => type === 'reasserted')
  assert.deepEqual([roll.ended()?.reasons[0]?.code, balancer.state('n1'), reasserted.length], ['NotUp', 'drain', 0])
  await balancer.setState(N1, 'ready')
  await clock.advance(1_000)
  const later = events.filter(({ type }) => type === 'reasserted')
  assert.deepEqual([balancer.state('n1'), later.length], ['drain', 1])
})

test('what is not done at the last moment is reported with what stood against it', async (t) => {
  const roll = begun(t, { servers: [aServer('n1'), aServer('n2')] })
  const { clock, balancer, disk, events } = roll
  let isFirst = true
  disk.append = async (entry) => {
    if (!isFirst || meant([entry], 'setServer') === 0) return
    isFirst = false
    await balancer.setState({ ...N1, server: 'n2' }, 'maint')
  }
  await clock.advance(20_000)
  const undone = events.flatMap((event) => (event.type === 'write' && !event.ok ? [event.text] : []))
  assert.equal(undone.length, 1)
  assert.match(undone[0] ?? '', /n1 on lb-1 to drain: not done, since n2 is detached from every balancer/)
})

test('where nothing is to be said the duty has done nothing, so that its pass is a hold and the next one waits', async () => {
  const clock = new VirtualClock()
  const cluster = new MemoryCluster(clock, [aNode('n1')])
  const shared = { cluster, clock, random: new SeededRandom(1) }
  const slot = { namespace: 'evenkeel', name: 'evenkeel-slot-0' }
  const keeper = new LeaseKeeper({
    ...shared,
    slot,
    run: 'run-1',
    nonce: 'p1',
    durationMs: 30_000,
    onChange: () => undefined,
  })
  const host = {
    check: () => Promise.reject(new Error('nobody plans here')),
    reboot: () => Promise.reject(new Error('nobody reboots here')),
    ownBootId: async () => undefined,
    close: async () => undefined,
  }
  const performer = new Performer({
    ...shared,
    run: 'run-1',
    view: { reading: () => ({ nodes: [] }) },
    balancers: [],
    host,
    keeper,
  })
  const journal = { run: 'run-1', append: async () => undefined }
  const events = new EventLog({ journal, clock, sink: () => undefined, firstSeq: 0 })
  const effects = new Effects({ performer, events, overlay: new NodeOverlay() })
  const duty = new KeepOutDuty({ effects, events, pollers: [], clock, now: () => undefined })
  assert.equal(await duty.keep(new AbortController().signal), false)
})
