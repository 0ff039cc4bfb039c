import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { JournalEntry } from '../../../src/roll/ports/journal.ts'
import { formatRecord, INTENT_ANNOTATION, RECORD_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { leave, type MemoryRoll, memoryRoll } from '../../support/memory-roll.ts'
import { aNode, aRecord, aServer } from '../../support/roll-world.ts'

const SLOT = { namespace: 'evenkeel', name: 'evenkeel-slot-0' }
const NEVER = new AbortController().signal
const REFUSED = new WorldError('the socket is closed', { code: 'BALANCER_SILENT', retry: 'backoff' })

function begun(t: TestContext, roll: MemoryRoll): MemoryRoll {
  const running = roll.begin()
  t.after(() => leave(roll, running))
  return roll
}

const writes = ({ events }: MemoryRoll): readonly string[] =>
  events.flatMap((event) => (event.type === 'write' ? [`${event.node} ${event.action}`] : []))

const holds = ({ events }: MemoryRoll): readonly string[] =>
  events.flatMap((event) => (event.type === 'hold.started' ? event.reasons.map(({ code }) => code) : []))

/** Time since the start of the roll at which each of these writes was answered. */
const writtenAt = ({ events }: MemoryRoll, action: string): readonly number[] =>
  events.flatMap((event) =>
    event.type === 'write' && event.action === action ? [Date.parse(event.at) - Date.parse('2026-01-01')] : [],
  )

/** Its watches show every change a second late. */
function late(roll: MemoryRoll): MemoryRoll {
  const follow = roll.cluster.follow.bind(roll.cluster)
  roll.cluster.follow = (kind, sink, signal) =>
    follow(
      kind,
      (event) => {
        if (event.type === 'listed') return sink(event)
        void roll.clock.sleep(1000, NEVER).then(() => sink(event))
      },
      signal,
    )
  return roll
}

/** n1 was told to reboot and does not come back. */
async function away(t: TestContext): Promise<MemoryRoll> {
  const roll = memoryRoll()
  roll.machine.rebooted = (node) => roll.cluster.change(node, { ready: 'Unknown' })
  begun(t, roll)
  await roll.clock.advance(10_050)
  assert.deepEqual([roll.reboots, roll.balancer.state('n1')], [['n1'], 'drain'])
  return roll
}

test('the Lease of the slot lasts as long as the file says', async (t) => {
  const roll = await away(t)
  assert.equal(roll.cluster.leases.get(SLOT)?.durationSeconds, 120)
})

test('every balancer is read again as soon as the slot is taken, so that the record does not wait for the next poll', async (t) => {
  const roll: MemoryRoll = memoryRoll({ append: () => roll.clock.sleep(10, NEVER) })
  begun(t, roll)
  await roll.clock.advance(1000)
  const [slot = 0] = writtenAt(roll, 'takeSlot')
  const [record = 0] = writtenAt(roll, 'writeRecord')
  assert.ok(slot > 0 && record - slot < 100, `slot at ${slot} ms, record at ${record} ms`)
})

test('no hold is reported while the first answer of a balancer is on its way', async (t) => {
  const roll = memoryRoll()
  const read = roll.balancer.read.bind(roll.balancer)
  let reads = 0
  roll.balancer.read = async (instance) => {
    reads += 1
    if (reads <= 2) await roll.clock.sleep(300, NEVER)
    return read(instance)
  }
  begun(t, roll)
  await roll.clock.advance(250)
  assert.deepEqual([roll.events.map(({ type }) => type), reads], [['roll.started'], 1])
})

test('a write counts before the watch shows it: with a watch a second late each write of a node is made once', async (t) => {
  const roll = late(memoryRoll({ run: { order: ['n1'] } }))
  begun(t, roll)
  await roll.clock.advance(400_000)
  assert.equal(roll.ended()?.outcome, 'completed')
  assert.deepEqual(writes(roll), [
    'n1 takeSlot',
    'n1 writeRecord',
    'n1 cordon',
    'n1 setServer',
    'n1 writeIntent',
    'n1 sendReboot',
    'n1 uncordon',
    'n1 setServer',
    'n1 removeRecord',
    'n1 releaseSlot',
  ])
})

test('a node that is through is not begun again, though the watch still shows its record', async (t) => {
  const roll = late(memoryRoll({ run: { order: ['n1', 'n2'] } }))
  begun(t, roll)
  await roll.clock.advance(800_000)
  const ended = roll.events.flatMap((event) => (event.type === 'node.ended' ? [event.standing.node] : []))
  assert.deepEqual([ended, roll.ended()?.outcome], [['n1', 'n2'], 'completed'])
})

test('a node that another run has out is not the one to begin with', async (t) => {
  const annotations = { [RECORD_ANNOTATION]: formatRecord(aRecord({ run: 'run-9' })) }
  const roll = memoryRoll({ nodes: [aNode('n1'), aNode('n2', { annotations }), aNode('n3')] })
  begun(t, roll)
  await roll.clock.advance(10_000)
  const started = roll.events.flatMap((event) => (event.type === 'node.started' ? [event.node] : []))
  assert.deepEqual([started, roll.reboots], [['n1'], []])
})

test('an interrupt while a write is under way ends the roll after that write', async (t) => {
  const roll = memoryRoll()
  const patch = roll.cluster.patchNode.bind(roll.cluster)
  roll.cluster.patchNode = (name, steps) => {
    roll.over.abort()
    return patch(name, steps)
  }
  begun(t, roll)
  await roll.clock.advance(30_000)
  assert.deepEqual([roll.ended()?.outcome, writes(roll)], ['interrupted', ['n1 takeSlot', 'n1 writeRecord']])
})

test('a journal that takes entries again after a while lets the roll go on, and is tried every half a second', async (t) => {
  const full = new WorldError('no space left on device', { code: 'JOURNAL_WRITE', retry: 'backoff' })
  const retries: JournalEntry[] = []
  let isFull = false
  const roll = memoryRoll({
    append: async (entry) => {
      if (!isFull) return
      if (entry.type === 'retry') retries.push(entry)
      throw full
    },
  })
  roll.balancer.onState = () => {
    isFull = true
  }
  begun(t, roll)
  await roll.clock.advance(10_000)
  assert.deepEqual([roll.reboots, retries.length > 15 && retries.length < 25], [[], true], `${retries.length} tries`)
  isFull = false
  await roll.clock.advance(5000)
  assert.deepEqual(roll.reboots, ['n1'])
})

test('nothing is decided by a slot that could not be renewed for two thirds of its duration', async (t) => {
  const roll = memoryRoll({ servers: [aServer('n1', { currentSessions: 1 }), aServer('n2'), aServer('n3')] })
  begun(t, roll)
  await roll.clock.advance(5000)
  roll.cluster.writeLease = () =>
    Promise.reject(new WorldError('connect ECONNREFUSED', { code: 'KUBE_UNREACHABLE', retry: 'backoff' }))
  let cuts = 0
  roll.balancer.cutSessions = async () => {
    cuts += 1
  }
  await roll.clock.advance(300_000)
  assert.deepEqual([holds(roll).includes('SlotNotRenewed'), cuts, roll.reboots], [true, 0, []])
  assert.equal(writes(roll).includes('n1 cutSessions'), false)
})

test('the last session that ends lets the roll go on with the next poll', async (t) => {
  const roll = memoryRoll({ servers: [aServer('n1', { currentSessions: 1 }), aServer('n2'), aServer('n3')] })
  const read = roll.balancer.read.bind(roll.balancer)
  let sessions = 1
  roll.balancer.read = async (instance) => {
    const { servers, ...reading } = await read(instance)
    return { ...reading, servers: servers.map((server) => ({ ...server, currentSessions: sessions })) }
  }
  begun(t, roll)
  await roll.clock.advance(20_150)
  assert.deepEqual(roll.reboots, [])
  sessions = 0
  await roll.clock.advance(60)
  assert.deepEqual(roll.reboots, ['n1'])
})

test('the pause before a word is tried again begins when the balancer refused it, and not when it was asked', async (t) => {
  const roll = memoryRoll()
  const { clock, balancer } = roll
  const [began, ended]: [number[], number[]] = [[], []]
  balancer.setState = async () => {
    began.push(clock.monoMs())
    await clock.sleep(3000, NEVER)
    ended.push(clock.monoMs())
    throw REFUSED
  }
  begun(t, roll)
  await clock.advance(30_000)
  const pauses = began.slice(1).map((at, i) => at - (ended[i] ?? 0))
  assert.ok(pauses.length > 2 && pauses.every((pause) => pause >= 100), `${pauses}`)
})

test('what makes it worse for a node that has stopped the roll is in the journal too', async (t) => {
  const entries: JournalEntry[] = []
  const intent = { version: 1, run: 'run-1', bootId: aNode('n1').bootId, at: '2026-01-01T00:00:00.000Z' } as const
  const annotations = { [RECORD_ANNOTATION]: formatRecord(aRecord()), [INTENT_ANNOTATION]: formatRecord(intent) }
  const verdict = { kind: 'stopped', keepOut: false, reasons: [{ code: 'RequestsFailed', text: 'x' }] } as const
  const roll = memoryRoll({
    run: { resumed: true, verdict },
    nodes: [aNode('n1', { unschedulable: true, annotations, ready: 'Unknown' }), aNode('n2'), aNode('n3')],
    servers: [aServer('n1', { adminState: 'drain' }), aServer('n2'), aServer('n3')],
    append: async (entry) => void entries.push(entry),
  })
  roll.machine.rebooted = () => undefined
  begun(t, roll)
  await roll.clock.advance(1_000_000)
  const verdicts = entries.flatMap((entry) => (entry.type === 'verdict' ? [entry.verdict as typeof verdict] : []))
  assert.deepEqual(
    verdicts.map(({ kind, keepOut }) => [kind, keepOut]),
    [['stopped', true]],
  )
})
